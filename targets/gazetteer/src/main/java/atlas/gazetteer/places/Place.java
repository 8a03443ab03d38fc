package atlas.gazetteer.places;

/** A place with a name; `region` is one of {@link Country#REGIONS}. */
public record Place(int id, String name, Kind kind, String region, Position position, int population) {

    /** What a place is. */
    public enum Kind {
        CITY,
        TOWN,
        VILLAGE,
        HAMLET,
        SUMMIT,
        LAKE
    }
}
