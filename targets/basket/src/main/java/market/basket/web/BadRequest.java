package market.basket.web;

/** A request that cannot be answered as it stands. */
final class BadRequest extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BadRequest(String message) {
        super(message);
    }
}
