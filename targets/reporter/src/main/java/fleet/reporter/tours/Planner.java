package fleet.reporter.tours;

import java.util.List;

/** Finds a short tour: to the nearest stop each time, then any two legs exchanged that make it shorter. */
public final class Planner {

    private static final int MOST_ROUNDS = 12;

    private Planner() {}

    /** The tour of a van, 1 to {@link Town#VANS}, of a plan, 1 to {@link Town#PLANS}. */
    public static Tour tour(int plan, int van) {
        Stop[] stops = Town.stops(plan, van);
        nearestFirst(stops);
        for (int round = 0; round < MOST_ROUNDS && shorten(stops); round++) {
            // Each round may open the way to further exchanges.
        }
        return new Tour(List.of(stops));
    }

    private static void nearestFirst(Stop[] stops) {
        for (int i = 1; i < stops.length - 1; i++) {
            swap(stops, i, nearest(stops, i));
        }
    }

    /** The place of the stop nearest to the one before `from`, among those from there on. */
    private static int nearest(Stop[] stops, int from) {
        int nearest = from;
        double least = Double.MAX_VALUE;
        for (int i = from; i < stops.length; i++) {
            double metres = stops[from - 1].metresTo(stops[i]);
            if (metres < least) {
                least = metres;
                nearest = i;
            }
        }
        return nearest;
    }

    private static boolean shorten(Stop[] stops) {
        boolean shorter = false;
        for (int i = 1; i < stops.length - 1; i++) {
            for (int j = i + 1; j < stops.length; j++) {
                if (saved(stops, i, j) > 0.5) {
                    reverse(stops, i, j);
                    shorter = true;
                }
            }
        }
        return shorter;
    }

    /** Metres that the tour is shorter by when stops `from` to `to` are gone through backwards. */
    private static double saved(Stop[] stops, int from, int to) {
        Stop before = stops[from - 1];
        Stop after = stops[(to + 1) % stops.length];
        return before.metresTo(stops[from])
                + stops[to].metresTo(after)
                - before.metresTo(stops[to])
                - stops[from].metresTo(after);
    }

    private static void reverse(Stop[] stops, int from, int to) {
        for (int i = from, j = to; i < j; i++, j--) {
            swap(stops, i, j);
        }
    }

    private static void swap(Stop[] stops, int one, int other) {
        Stop stop = stops[one];
        stops[one] = stops[other];
        stops[other] = stop;
    }
}
