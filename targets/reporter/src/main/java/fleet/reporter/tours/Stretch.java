package fleet.reporter.tours;

/** What a van drives within a district before it comes to another. */
public record Stretch(int district, int stops, double metres) {

    Stretch longer(double more) {
        return new Stretch(district, stops + 1, metres + more);
    }
}
