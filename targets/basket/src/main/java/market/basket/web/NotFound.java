package market.basket.web;

/** A request for what is not there. */
final class NotFound extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotFound(String message) {
        super(message);
    }
}
