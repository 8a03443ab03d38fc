package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.scalalogging.Logger;
import io.gatling.core.action.Action;
import io.gatling.core.session.Session;
import io.gatling.core.session.Session$;
import io.netty.channel.DefaultEventLoop;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PauseUntilTest {
    @TempDir
    Path folder;

    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final CompletableFuture<Long> ended = new CompletableFuture<>();

    @AfterEach
    void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    @Test
    void itNeverEndsAheadOfItsTimeNotEvenByAPartOfAMillisecond() throws Exception {
        LoadClock clock = PlanExamples.clockIn(folder);
        clock.start(0);
        long due = clock.now() + 20_400_000L;
        pause(clock, due);
        long end = ended.get(10, TimeUnit.SECONDS);
        assertTrue(end >= due, "ended " + (due - end) + " ns early");
    }

    @Test
    void aTimeThatHasPassedIsNotWaitedFor() throws Exception {
        LoadClock clock = PlanExamples.clockIn(folder);
        clock.start(0);
        CompletableFuture<Thread> on = new CompletableFuture<>();
        loop.execute(() -> {
            pause(clock, clock.now() - 1);
            // Nothing was scheduled: by the time execute returns, the next action has run, on this very thread.
            on.complete(ended.isDone() ? Thread.currentThread() : null);
        });
        assertSame(loop.submit(Thread::currentThread).get(), on.get(10, TimeUnit.SECONDS));
        assertEquals(0, loop.pendingTasks());
    }

    private void pause(LoadClock clock, long due) {
        Action next = new Noting(clock);
        Session session = Session$.MODULE$.apply("pauses", 1L, loop);
        new PauseUntil(clock, any -> due).asScala().build(null, next).execute(session);
    }

    /** Notes when it is reached. */
    private final class Noting implements Action {
        private final LoadClock clock;

        private Noting(LoadClock clock) {
            this.clock = clock;
        }

        @Override
        public String name() {
            return "noting";
        }

        @Override
        public void execute(Session session) {
            ended.complete(clock.now());
        }

        @Override
        public Logger logger() {
            return Logger.apply(PauseUntilTest.class);
        }

        @Override
        public void com$typesafe$scalalogging$StrictLogging$_setter_$logger_$eq(Logger logger) {}
    }
}
