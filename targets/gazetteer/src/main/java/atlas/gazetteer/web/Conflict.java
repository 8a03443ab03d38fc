package atlas.gazetteer.web;

/** A request against what is known. */
final class Conflict extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Conflict(String message) {
        super(message);
    }
}
