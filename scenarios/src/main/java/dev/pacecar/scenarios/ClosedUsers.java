package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Session;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Virtual users of Gatling that do what {@link ClosedUser}s do. */
final class ClosedUsers {
    static final long LEAD = 1_000_000_000L;

    private static final String USER = "pacecarUser";
    private static final String ARRIVAL = "pacecarArrival";

    private final LoadClock clock;
    private final Plan.Share share;
    private final Dispatch dispatch;

    /** A share of the users, the n-th of whom belongs to the process with the number n modulo how many there are. */
    ClosedUsers(LoadClock clock, Plan.Share share, Dispatch dispatch) {
        this.clock = clock;
        this.share = share;
        this.dispatch = dispatch;
    }

    /** Those of {@code users} who are ours, if any; the n-th of all behaves like {@code user.apply(n)}. */
    Optional<PopulationBuilder> population(String name, int users, IntFunction<ClosedUser> user) {
        int ours = Math.floorDiv(users - share.index() + share.of() - 1, share.of());
        if (ours < 1) {
            return Optional.empty(); // Gatling refuses a scenario without users
        }
        AtomicInteger numbers = new AtomicInteger();
        ChainBuilder once = exec(dispatch.pauseUntil(session -> arrival(session).due()))
                .exec(session -> dispatch.aim(session, arrival(session)))
                .exec(dispatch.send())
                .exec(this::nextArrival);
        ChainBuilder life = exec(session -> nextArrival(
                        session.set(USER, user.apply(share.index() + share.of() * numbers.getAndIncrement()))))
                .asLongAs(session -> session.contains(ARRIVAL))
                .on(once);
        return Optional.of(scenario(name).exec(life).injectOpen(atOnceUsers(ours)));
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
