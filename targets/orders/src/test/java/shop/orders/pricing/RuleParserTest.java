package shop.orders.pricing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuleParserTest {

    @Test
    void readsEveryKindOfCondition() {
        var rule = RuleParser.parse(
                "gold tools: category = tools and level = gold and quantity >= 5 and value >= 99.50 -> 1.25 %");

        assertThat(rule)
                .isEqualTo(new DiscountRule(
                        "gold tools",
                        List.of(
                                new Condition.Category("tools"),
                                new Condition.Level("gold"),
                                new Condition.Quantity(5),
                                new Condition.Value(9_950)),
                        125));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "tools -> 5 %", "tools: weight >= 5 -> 5 %", "tools: quantity = 5 -> 5 %", "a: value >= 1 -> lots %"
            })
    void refusesWhatIsNoRule(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> RuleParser.parse(text));
    }
}
