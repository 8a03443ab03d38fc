package shop.orders.pricing;

import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Prices purchases.
 *
 * <p>A purchase gets the combination of discounts that comes nearest to the largest total discount the shop grants,
 * without passing it.
 */
@Component
class PriceCalculator {

    private static final int LARGEST_DISCOUNT = 3_000;
    private static final int WHOLE = 10_000;
    private static final int TAX_PERCENT = 19;
    private static final int LADDER_STEPS = 12;

    private final RuleBook book;

    PriceCalculator(RuleBook book) {
        this.book = book;
    }

    /** The price of each purchase, in their order. */
    List<Price> prices(List<Purchase> purchases) {
        List<DiscountRule> rules = book.rules();
        return purchases.stream().map(purchase -> price(purchase, rules)).toList();
    }

    /** The price of a purchase and of larger ones, each a tenth of its quantity (at least one piece) further up. */
    Quote quote(Purchase purchase) {
        List<DiscountRule> rules = book.rules();
        var ladder = new ArrayList<Price>();
        int step = Math.max(1, purchase.quantity() / 10);
        for (int i = 1; i <= LADDER_STEPS; i++) {
            ladder.add(price(purchase.ofQuantity(purchase.quantity() + i * step), rules));
        }
        return new Quote(purchase.product(), price(purchase, rules), ladder);
    }

    private static Price price(Purchase purchase, List<DiscountRule> rules) {
        int discount = bestDiscount(purchase, rules);
        long list = purchase.listCents();
        long net = list - Math.round(list * (double) discount / WHOLE);
        long gross = net + Math.round(net * TAX_PERCENT / 100.0);
        return new Price(purchase.quantity(), discount, list, net, gross);
    }

    /** A subset sum: which totals can be reached, discount by discount; then the largest of them. */
    private static int bestDiscount(Purchase purchase, List<DiscountRule> rules) {
        var reachable = new boolean[LARGEST_DISCOUNT + 1];
        reachable[0] = true;
        for (DiscountRule rule : rules) {
            if (rule.appliesTo(purchase)) {
                for (int total = LARGEST_DISCOUNT; total >= rule.basisPoints(); total--) {
                    reachable[total] |= reachable[total - rule.basisPoints()];
                }
            }
        }
        int best = LARGEST_DISCOUNT;
        while (!reachable[best]) {
            best--;
        }
        return best;
    }
}
