package shop.orders.pricing;

/** One of the conditions under which a discount is granted. */
sealed interface Condition {

    boolean holds(Purchase purchase);

    record Category(String name) implements Condition {
        @Override
        public boolean holds(Purchase purchase) {
            return name.equals(purchase.product().category());
        }
    }

    record Level(String name) implements Condition {
        @Override
        public boolean holds(Purchase purchase) {
            return name.equals(purchase.level());
        }
    }

    record Quantity(int atLeast) implements Condition {
        @Override
        public boolean holds(Purchase purchase) {
            return purchase.quantity() >= atLeast;
        }
    }

    record Value(long atLeastCents) implements Condition {
        @Override
        public boolean holds(Purchase purchase) {
            return purchase.listCents() >= atLeastCents;
        }
    }
}
