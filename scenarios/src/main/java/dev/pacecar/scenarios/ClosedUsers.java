package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Virtual users of Gatling that do what {@link ClosedUser}s do. */
final class ClosedUsers {
    static final long LEAD = 1_000_000_000L;

    private static final String USER = "pacecarUser";
    private static final String ARRIVAL = "pacecarArrival";

    private final LoadClock clock;
    private final long lead;
    private final Dispatch dispatch;

    /** Users who start the clock {@code lead} nanoseconds before the load, in case they are the first. */
    ClosedUsers(LoadClock clock, long lead, Dispatch dispatch) {
        this.clock = clock;
        this.lead = lead;
        this.dispatch = dispatch;
    }

    /** So many users, the n-th of whom behaves like {@code user.apply(n)}. */
    PopulationBuilder population(String name, int users, IntFunction<ClosedUser> user) {
        AtomicInteger numbers = new AtomicInteger();
        ChainBuilder once = exec(dispatch.pauseUntil(session -> arrival(session).due()))
                .exec(session -> dispatch.aim(session, arrival(session)))
                .exec(dispatch.send())
                .exec(this::nextArrival);
        ChainBuilder life = exec(session -> {
                    clock.start(lead);
                    return nextArrival(session.set(USER, user.apply(numbers.getAndIncrement())));
                })
                .asLongAs(session -> session.contains(ARRIVAL))
                .on(once);
        return scenario(name).exec(life).injectOpen(atOnceUsers(users));
    }

    private Session nextArrival(Session session) {
        ClosedUser user = session.get(USER);
        Arrival arrival = user.next(clock.now());
        return arrival == null ? session.remove(ARRIVAL) : session.set(ARRIVAL, arrival);
    }

    private static Arrival arrival(Session session) {
        return session.get(ARRIVAL);
    }
}
