package atlas.gazetteer.places;

import java.util.Comparator;

/** A place whose name is like what was asked for; 1 is the same name, 0 one without anything in common. */
public record Match(Place place, double likeness) {

    static final Comparator<Match> BEST_FIRST = Comparator.comparingDouble(Match::likeness)
            .reversed()
            .thenComparing(match -> -match.place().population())
            .thenComparing(match -> match.place().id());
}
