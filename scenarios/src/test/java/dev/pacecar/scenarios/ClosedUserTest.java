package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClosedUserTest {
    private static final long ANSWER = 3_000_000;

    private final Plan plan = PlanExamples.closed(42, 20);
    private final Timeline timeline = new Timeline(plan);

    /** What a user asks of a service that answers each request within {@code answer} nanoseconds. */
    private List<Arrival> requests(String side, int number, long answer) {
        ClosedUser user = ClosedUser.ofModel(plan, timeline, side, number, () -> 0);
        List<Arrival> requests = new ArrayList<>();
        for (Arrival next = user.next(0); next != null; next = user.next(next.due() + answer)) {
            requests.add(next);
        }
        return requests;
    }

    private static List<Long> seeds(List<Arrival> requests, int slice) {
        return requests.stream()
                .filter(arrival -> arrival.slice() == slice)
                .map(Arrival::seed)
                .toList();
    }

    @Test
    void asksOnlyWhileItsSideIsUnderLoad() {
        for (Arrival arrival : requests("candidate", 0, ANSWER)) {
            if (arrival.slice() == Arrival.WARMUP) {
                assertTrue(arrival.due() < timeline.warmupEnd());
            } else {
                Timeline.Slice slice = timeline.slices().get(arrival.slice());
                assertEquals("candidate", slice.side());
                assertTrue(slice.start() <= arrival.due() && arrival.due() < slice.end());
            }
        }
    }

    @Test
    void aUserOfTheBurstAsksAgainAsSoonAsItWasAnswered() {
        ClosedUser user = ClosedUser.ofBurst(plan, timeline, "baseline", 0, () -> 0);
        long last = 0;
        int requests = 0;
        for (Arrival next = user.next(0); next != null; next = user.next(next.due() + ANSWER)) {
            assertTrue(next.due() - last < 10 * ANSWER);
            last = next.due();
            requests++;
        }
        // The burst's length over 3 ms of waiting and half a millisecond of thought, give or take a third.
        assertEquals(timeline.burstEnd() / 3.5e6, requests, timeline.burstEnd() / 1e7);
        assertTrue(last < timeline.burstEnd());
    }

    @Test
    void aUserIsHeldBackInTheBurstOnly() {
        ClosedUser user = ClosedUser.ofModel(plan, timeline, "baseline", 0, () -> 40_000_000);
        long last = 0;
        Arrival next = user.next(0);
        for (; next.due() < timeline.burstEnd(); next = user.next(next.due() + ANSWER)) {
            assertTrue(next.due() - last > 40_000_000);
            last = next.due();
        }
        assertTrue(last > 0);
        List<Arrival> rest = new ArrayList<>();
        for (; next != null; next = user.next(next.due() + ANSWER)) {
            rest.add(next);
        }
        List<Arrival> free = requests("baseline", 0, ANSWER);
        assertEquals(seeds(free, 0).size(), seeds(rest, 0).size(), 1);
    }

    @Test
    void theSameUserOfTheOtherSideAsksTheSameInTheSameTurn() {
        var baseline = requests("baseline", 2, ANSWER);
        var candidate = requests("candidate", 2, 10 * ANSWER);
        for (int round = 0; round < 3; round++) {
            var fast = seeds(baseline, timeline.slicesOf("baseline").get(round).index());
            var slow =
                    seeds(candidate, timeline.slicesOf("candidate").get(round).index());
            assertFalse(slow.isEmpty());
            assertTrue(slow.size() < fast.size(), "a slower service answers fewer requests");
            assertEquals(fast.subList(0, slow.size()), slow);
        }
    }

    @Test
    void usersAndTurnsDiffer() {
        var first = requests("baseline", 0, ANSWER);
        assertNotEquals(seeds(first, 0), seeds(requests("baseline", 1, ANSWER), 0));
        assertNotEquals(seeds(first, 0), seeds(first, 3));
    }

    @Test
    void thinksAsLongAsAskedOnAverage() {
        // Three slices of 2 s, 20 ms of thought and 3 ms of waiting each: 261 requests, give or take 16.
        long measured = requests("baseline", 0, ANSWER).stream()
                .filter(arrival -> arrival.slice() >= 0)
                .count();
        assertEquals(261, measured, 80);
    }

    @Test
    void anAnswerThatComesAfterTheEndLeadsToNothingMore() {
        ClosedUser user = ClosedUser.ofModel(plan, timeline, "baseline", 0, () -> 0);
        assertEquals(null, user.next(timeline.end()));
    }
}
