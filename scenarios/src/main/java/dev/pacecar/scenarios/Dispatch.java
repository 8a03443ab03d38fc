package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.group;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import java.util.function.ToLongFunction;

/** Sends an arrival: to its side's base URL, as its operation, in the group that tells the sides apart. */
final class Dispatch {
    private static final String WARMUP_GROUP = "warmup";
    private static final String URL = "pacecarUrl";
    private static final String GROUP = "pacecarGroup";
    private static final String ROW = "pacecarRow";
    private static final String TRACE = "pacecarTrace";

    /** Where the requests of an operation begin: the base URL of the arrival's side. */
    static final String URL_EXPRESSION = "#{" + URL + "}";

    private final Plan plan;
    private final LoadClock clock;
    private final Mix mix;
    private final ArrivalLog log;
    private final WarmupCount warmups;

    Dispatch(Plan plan, LoadClock clock, Mix mix, ArrivalLog log, WarmupCount warmups) {
        this.plan = plan;
        this.clock = clock;
        this.mix = mix;
        this.log = log;
        this.warmups = warmups;
    }

    PauseUntil pauseUntil(ToLongFunction<Session> due) {
        return new PauseUntil(clock, due);
    }

    /** Prepares the session for {@link #send} and notes the moment: nothing but the request itself follows. */
    Session aim(Session session, Arrival arrival) {
        return aim(session, arrival, mix.at(arrival.choice()));
    }

    /** The same for the operation at index {@code chosen}, wherever the arrival falls in the mix. */
    Session aim(Session session, Arrival arrival, int chosen) {
        boolean measured = arrival.slice() != Arrival.WARMUP;
        Session aimed = mix.choose(session, chosen, arrival.seed())
                .set(URL, plan.sides().get(arrival.side()))
                .set(GROUP, measured ? arrival.side() : WARMUP_GROUP);
        if (!measured) {
            warmups.sent(arrival.side());
            return traced(aimed, Trace.NOT_LOGGED);
        }
        String operation = mix.operation(chosen).name();
        ArrivalLog.Row row = log.sent(arrival.slice(), arrival.side(), operation, arrival.due());
        return traced(aimed.set(ROW, row), row.number());
    }

    /** {@code protocol} with the header that tells the requests' traces, where they are to have it. */
    HttpProtocolBuilder tracing(HttpProtocolBuilder protocol) {
        return plan.traced() ? protocol.header(Trace.HEADER, session -> session.getString(TRACE)) : protocol;
    }

    private Session traced(Session session, long number) {
        return plan.traced() ? session.set(TRACE, Trace.parent(plan.seed(), number)) : session;
    }

    ChainBuilder send() {
        return group("#{" + GROUP + "}").on(mix.carryOut()).exec(session -> {
            if (session.contains(ROW)) {
                log.answered(session.get(ROW));
            }
            return session;
        });
    }
}
