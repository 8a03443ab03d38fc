package atlas.gazetteer.places;

/** A point on the globe, in degrees. */
public record Position(double latitude, double longitude) {

    private static final double EARTH_RADIUS_KM = 6371.0;

    /** Great-circle distance by the haversine formula. */
    public double kilometresTo(Position other) {
        double north = Math.sin(Math.toRadians(other.latitude - latitude) / 2);
        double east = Math.sin(Math.toRadians(other.longitude - longitude) / 2);
        double shrunk = Math.cos(Math.toRadians(latitude)) * Math.cos(Math.toRadians(other.latitude));
        return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(north * north + shrunk * east * east)));
    }
}
