package shop.orders.pricing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.io.Resource;
import org.springframework.stereotype.Component;

/** The discount rules in force, one per line of a text file. */
@Component
class RuleBook {

    private final List<String> lines;

    RuleBook(@Value("classpath:pricing/discounts.txt") Resource file) {
        try {
            lines = file.getContentAsString(StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    List<DiscountRule> rules() {
        return lines.stream().map(RuleParser::parse).toList();
    }
}
