package atlas.gazetteer.places;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/** Finds places by names that may be misspelt: by the trigrams they share, then by how little has to be changed. */
final class Names {

    private static final int CANDIDATES = 250;

    private final List<Place> places;
    private final String[] spelled;
    private final Map<String, int[]> postings;

    Names(List<Place> places) {
        this.places = places;
        this.spelled = places.stream().map(place -> plain(place.name())).toArray(String[]::new);
        var lists = new HashMap<String, IntStream.Builder>();
        for (int i = 0; i < spelled.length; i++) {
            for (String trigram : trigrams(spelled[i])) {
                lists.computeIfAbsent(trigram, each -> IntStream.builder()).add(i);
            }
        }
        this.postings = new HashMap<>();
        lists.forEach((trigram, list) -> postings.put(trigram, list.build().toArray()));
    }

    /** At most `most` places, the likest first; of those as like, the one with more people. */
    List<Match> like(String name, int most) {
        String wanted = plain(name);
        return Arrays.stream(candidates(wanted))
                .mapToObj(i -> match(wanted, places.get(i), spelled[i]))
                .sorted(Match.BEST_FIRST)
                .limit(most)
                .toList();
    }

    static Match match(String name, Place place) {
        return match(plain(name), place, plain(place.name()));
    }

    private static Match match(String wanted, Place place, String spelled) {
        int longest = Math.max(1, Math.max(wanted.length(), spelled.length()));
        return new Match(place, 1 - distance(wanted, spelled) / (double) longest);
    }

    private int[] candidates(String wanted) {
        var shared = new byte[spelled.length];
        for (String trigram : trigrams(wanted)) {
            for (int i : postings.getOrDefault(trigram, new int[0])) {
                shared[i]++;
            }
        }
        var best = new PriorityQueue<Integer>(Comparator.comparingInt(i -> shared[i]));
        for (int i = 0; i < shared.length; i++) {
            if (shared[i] > 0 && (best.size() < CANDIDATES || shared[i] > shared[best.element()])) {
                best.add(i);
                if (best.size() > CANDIDATES) {
                    best.remove();
                }
            }
        }
        return best.stream().mapToInt(Integer::intValue).toArray();
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
    }

    private static List<String> trigrams(String spelled) {
        String padded = "__" + spelled + "_";
        return IntStream.rangeClosed(0, padded.length() - 3)
                .mapToObj(start -> padded.substring(start, start + 3))
                .distinct()
                .toList();
    }

    /** Levenshtein's distance, two rows at a time. */
    private static int distance(String one, String other) {
        var above = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            var row = new int[other.length() + 1];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = above[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[other.length()];
    }
}
