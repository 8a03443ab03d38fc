package market.basket.web;

/** A request that the carrier should have answered. */
final class NoOffer extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoOffer(Throwable why) {
        super("the carrier makes no offer", why);
    }
}
