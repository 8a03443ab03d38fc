package fleet.reporter.tours;

import java.util.ArrayList;
import java.util.List;

/** Stops in the order in which a van comes to them; from the last it goes back to the first. */
public record Tour(List<Stop> stops) {

    public double metres() {
        double metres = 0;
        for (int i = 0; i < stops.size(); i++) {
            metres += leg(i);
        }
        return metres;
    }

    /** The tour in pieces, each as long as the van stays in a district. */
    public List<Stretch> stretches() {
        var stretches = new ArrayList<Stretch>();
        for (int i = 0; i < stops.size(); i++) {
            int district = Town.district(stops.get(i));
            int last = stretches.size() - 1;
            if (last >= 0 && stretches.get(last).district() == district) {
                stretches.set(last, stretches.get(last).longer(leg(i)));
            } else {
                stretches.add(new Stretch(district, 1, leg(i)));
            }
        }
        return stretches;
    }

    private double leg(int from) {
        return stops.get(from).metresTo(stops.get((from + 1) % stops.size()));
    }
}
