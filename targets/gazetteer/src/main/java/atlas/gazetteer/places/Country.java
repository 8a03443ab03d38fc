package atlas.gazetteer.places;

import atlas.gazetteer.places.Place.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** A made-up country: the same places at every start. */
public final class Country {

    public static final double SOUTH = 44;
    public static final double NORTH = 50;
    public static final double WEST = 4;
    public static final double EAST = 14;
    public static final int PLACES = 24_000;
    public static final List<String> REGIONS =
            IntStream.rangeClosed(1, 24).mapToObj("R%02d"::formatted).toList();

    private static final String[] FIRST = {
        "Al", "Ber", "Bran", "Dor", "El", "Fal", "Gar", "Hol", "Is", "Kal", "Lin", "Mar", "Nor", "Ost", "Ral", "Sil",
        "Tor", "Ul", "Var", "Wen"
    };
    private static final String[] MIDDLE = {
        "a", "an", "e", "el", "en", "er", "i", "in", "o", "on", "or", "u", "un", "ar", "ing", "ol", "is", "est", "am",
        "ul"
    };
    private static final String[] LAST = {
        "bach", "berg", "burg", "dorf", "feld", "ford", "hain", "ham", "haven", "hof", "holm", "mar", "mont", "ridge",
        "stad", "stein", "thal", "ton", "ville", "wick"
    };
    private static final double CROWDED = 0.35;

    private final Random random = new Random(7_219);

    private Country() {}

    /** All places, by id from 1 on. They crowd around one centre in each region. */
    public static List<Place> places() {
        return new Country().settled();
    }

    /** Whether a position lies in the country. */
    public static boolean holds(Position position) {
        return position.latitude() >= SOUTH
                && position.latitude() <= NORTH
                && position.longitude() >= WEST
                && position.longitude() <= EAST;
    }

    private List<Place> settled() {
        var centres = REGIONS.stream()
                .map(region -> new Position(between(SOUTH, NORTH), between(WEST, EAST)))
                .toList();
        var found = new ArrayList<Place>(PLACES);
        for (int id = 1; id <= PLACES; id++) {
            int region = random.nextInt(REGIONS.size());
            Kind kind = kind();
            found.add(new Place(id, name(), kind, REGIONS.get(region), near(centres.get(region)), population(kind)));
        }
        return found;
    }

    private Position near(Position centre) {
        return new Position(
                clamped(centre.latitude() + CROWDED * random.nextGaussian(), SOUTH, NORTH),
                clamped(centre.longitude() + CROWDED * random.nextGaussian(), WEST, EAST));
    }

    private String name() {
        var name = new StringBuilder(FIRST[random.nextInt(FIRST.length)]);
        for (int parts = 1 + random.nextInt(2); parts > 0; parts--) {
            name.append(MIDDLE[random.nextInt(MIDDLE.length)]);
        }
        return name.append(LAST[random.nextInt(LAST.length)]).toString();
    }

    private Kind kind() {
        double drawn = random.nextDouble();
        if (drawn < 0.01) {
            return Kind.CITY;
        }
        if (drawn < 0.08) {
            return Kind.TOWN;
        }
        if (drawn < 0.45) {
            return Kind.VILLAGE;
        }
        return drawn < 0.85 ? Kind.HAMLET : drawn < 0.95 ? Kind.SUMMIT : Kind.LAKE;
    }

    private int population(Kind kind) {
        double usual =
                switch (kind) {
                    case CITY -> 180_000;
                    case TOWN -> 12_000;
                    case VILLAGE -> 900;
                    case HAMLET -> 60;
                    case SUMMIT, LAKE -> 0;
                };
        return (int) (usual * Math.exp(0.6 * random.nextGaussian()));
    }

    private double between(double low, double high) {
        return low + random.nextDouble() * (high - low);
    }

    private static double clamped(double value, double low, double high) {
        return Math.max(low, Math.min(high, value));
    }
}
