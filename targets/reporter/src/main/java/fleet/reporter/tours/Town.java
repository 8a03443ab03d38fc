package fleet.reporter.tours;

import java.util.Random;

/** A square town, its districts, and the places where vans must stop: the same at every start. */
public final class Town {

    public static final int PLANS = 2_000;
    public static final int VANS = 4;
    public static final int DISTRICTS = 64;

    private static final int METRES = 8_000;
    private static final int DISTRICTS_A_SIDE = 8;
    private static final int STOPS = 80;

    private Town() {}

    /** The stops of one van, 1 to {@link #VANS}, of a plan, 1 to {@link #PLANS}; in no order. */
    static Stop[] stops(int plan, int van) {
        var random = new Random(plan * 31L + van);
        var stops = new Stop[STOPS];
        for (int i = 0; i < STOPS; i++) {
            stops[i] = new Stop(random.nextInt(METRES), random.nextInt(METRES));
        }
        return stops;
    }

    /** The number of the district, from 0, in which a stop lies. */
    static int district(Stop stop) {
        int width = METRES / DISTRICTS_A_SIDE;
        return stop.y() / width * DISTRICTS_A_SIDE + stop.x() / width;
    }
}
