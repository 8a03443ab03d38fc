package shop.orders.pricing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ByteArrayResource;
import shop.orders.catalogue.Product;

class PriceCalculatorTest {

    private static final Product HAMMER = new Product(1, "Hammer", "tools", 1_000);

    @Test
    void addsUpTheDiscountsThatApply() {
        var calculator = calculator(
                """
                # comments and empty lines do not count

                bulk: quantity >= 10 -> 2 %
                tools: category = tools -> 3 %
                paint: category = paint -> 9 %
                """);

        assertThat(calculator.prices(List.of(new Purchase(HAMMER, 10, "standard"))))
                .containsExactly(new Price(10, 500, 10_000, 9_500, 11_305));
    }

    @Test
    void picksTheDiscountsThatComeNearestToTheLargest() {
        var calculator = calculator(
                """
                a: quantity >= 1 -> 20 %
                b: quantity >= 1 -> 14 %
                c: quantity >= 1 -> 15.5 %
                """);

        Price price = calculator.prices(List.of(new Purchase(HAMMER, 1, "gold"))).get(0);

        assertThat(price.discountBasisPoints()).isEqualTo(2_950);
    }

    @Test
    void quotesLargerPurchasesToo() {
        var calculator = calculator("bulk: quantity >= 12 -> 10 %");

        Quote quote = calculator.quote(new Purchase(HAMMER, 11, "standard"));

        assertThat(quote.price().discountBasisPoints()).isZero();
        assertThat(quote.ladder()).hasSize(12).allMatch(price -> price.discountBasisPoints() == 1_000);
        assertThat(quote.ladder().get(11).quantity()).isEqualTo(23);
    }

    private static PriceCalculator calculator(String rules) {
        return new PriceCalculator(new RuleBook(new ByteArrayResource(rules.getBytes(StandardCharsets.UTF_8))));
    }
}
