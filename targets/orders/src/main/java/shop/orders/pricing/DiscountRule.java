package shop.orders.pricing;

import java.util.List;

/** A discount, in hundredths of a percent, that is granted where all its conditions hold. */
record DiscountRule(String name, List<Condition> conditions, int basisPoints) {

    boolean appliesTo(Purchase purchase) {
        for (Condition condition : conditions) {
            if (!condition.holds(purchase)) {
                return false;
            }
        }
        return true;
    }
}
