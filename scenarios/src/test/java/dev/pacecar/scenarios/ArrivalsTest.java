package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrivalsTest {
    private final Plan plan = PlanExamples.open(42, 100);
    private final Timeline timeline = new Timeline(plan);
    private final List<Arrival> arrivals = Arrivals.of(plan, timeline);

    private record Relative(long offset, double choice, long seed) {}

    private List<Relative> of(Timeline.Slice slice) {
        return arrivals.stream()
                .filter(arrival -> arrival.slice() == slice.index())
                .map(arrival -> new Relative(arrival.due() - slice.start(), arrival.choice(), arrival.seed()))
                .toList();
    }

    @Test
    void theSameTurnOfBothSidesMeetsTheSameArrivals() {
        var baseline = timeline.slicesOf("baseline");
        var candidate = timeline.slicesOf("candidate");
        for (int round = 0; round < baseline.size(); round++) {
            assertFalse(of(baseline.get(round)).isEmpty());
            assertEquals(of(baseline.get(round)), of(candidate.get(round)));
        }
    }

    @Test
    void afterTheBurstEachTurnMeetsTheSameArrivalsOnBothSides() {
        var turns = timeline.warmupTurns();
        assertFalse(within(turns.get(0)).isEmpty());
        assertEquals(within(turns.get(0)), within(turns.get(1)));
        assertEquals(within(turns.get(3)), within(turns.get(2)));
        assertNotEquals(within(turns.get(0)), within(turns.get(3)));
    }

    // All arrivals of the warm-up within a turn, whichever side they go to.
    private List<Relative> within(Timeline.Slice turn) {
        return arrivals.stream()
                .filter(arrival -> arrival.slice() == Arrival.WARMUP)
                .filter(arrival -> turn.start() <= arrival.due() && arrival.due() < turn.end())
                .map(arrival -> {
                    assertEquals(turn.side(), arrival.side());
                    return new Relative(arrival.due() - turn.start(), arrival.choice(), arrival.seed());
                })
                .toList();
    }

    @Test
    void turnsAndSeedsDiffer() {
        var slices = timeline.slicesOf("baseline");
        assertNotEquals(of(slices.get(0)), of(slices.get(1)));
        assertNotEquals(arrivals, Arrivals.of(PlanExamples.open(43, 100), timeline));
    }

    @Test
    void aSliceReceivesOnlyItsSideWithinItsTime() {
        for (Timeline.Slice slice : timeline.slices()) {
            for (Arrival arrival : arrivals) {
                if (arrival.slice() == slice.index()) {
                    assertEquals(slice.side(), arrival.side());
                    assertTrue(slice.start() <= arrival.due() && arrival.due() < slice.end());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 64})
    void sharesAddUpToTheWhole(int of) {
        List<Arrival> together = new ArrayList<>();
        for (int index = 0; index < of; index++) {
            together.addAll(Arrivals.of(PlanExamples.shared(plan, index, of), timeline));
        }
        together.sort(Comparator.comparingLong(Arrival::due).thenComparing(Arrival::side));
        assertEquals(arrivals, together);
    }

    @Test
    void sharesAreAlike() {
        int ours = Arrivals.of(PlanExamples.shared(plan, 0, 2), timeline).size();
        // Some 1,800 arrivals, of which each is in the share with a chance of one half.
        assertEquals(arrivals.size() / 2.0, ours, 150);
    }

    @Test
    void bothSidesAreAskedTheSameByTheSameProcess() {
        List<Arrival> ours = Arrivals.of(PlanExamples.shared(plan, 1, 3), timeline);
        Timeline.Slice baseline = timeline.slicesOf("baseline").get(0);
        Timeline.Slice candidate = timeline.slicesOf("candidate").get(0);
        assertFalse(seeds(ours, baseline).isEmpty());
        assertEquals(seeds(ours, baseline), seeds(ours, candidate));
    }

    private static List<Long> seeds(List<Arrival> arrivals, Timeline.Slice slice) {
        return arrivals.stream()
                .filter(arrival -> arrival.slice() == slice.index())
                .map(Arrival::seed)
                .toList();
    }

    @Test
    void comeInOrderOfTime() {
        for (int i = 1; i < arrivals.size(); i++) {
            assertTrue(arrivals.get(i - 1).due() <= arrivals.get(i).due());
        }
    }

    @Test
    void comeAtTheRateOfAPoissonProcess() {
        // 12 s at 100 per second: mean 1200, standard deviation below 50 although rounds repeat on both sides.
        long measured =
                arrivals.stream().filter(arrival -> arrival.slice() >= 0).count();
        assertEquals(1_200, measured, 250);
        // 1.5 s on each side; the first second of the warm-up belongs to the users of the burst.
        long warmup = arrivals.stream()
                .filter(arrival -> arrival.slice() == Arrival.WARMUP)
                .count();
        assertEquals(300, warmup, 100);
        assertTrue(arrivals.get(0).due() >= timeline.burstEnd());
    }
}
