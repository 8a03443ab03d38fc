package fleet.reporter.tours;

/** Where a van stops: metres from the south-west corner of the town. */
public record Stop(int x, int y) {

    double metresTo(Stop other) {
        double east = (double) other.x - x;
        double north = (double) other.y - y;
        return Math.sqrt(east * east + north * north);
    }
}
