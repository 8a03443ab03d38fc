package atlas.gazetteer.places;

/** The place that was to be added is known. */
public final class AlreadyThere extends RuntimeException {

    private static final long serialVersionUID = 1L;

    AlreadyThere(Place place) {
        super("there is " + place.name() + " already, with id " + place.id());
    }
}
