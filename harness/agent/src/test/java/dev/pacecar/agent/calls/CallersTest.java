package dev.pacecar.agent.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CallersTest {
    @Test
    void theNearestFrameOfTheApplicationIsTheCaller() {
        Callers callers = new Callers(List.of("dev.pacecar.agent.calls.CallersTest$"));
        StackFrame found = new Outer().through(callers);
        assertEquals("dev.pacecar.agent.calls.CallersTest$Inner", found.getClassName());
        assertEquals("asked", found.getMethodName());
    }

    @Test
    void withoutPrefixesItIsTheNearestThatIsNoKnownLibrary() {
        Callers callers = new Callers(List.of());
        assertTrue(callers.isOwn("shop.Orders"));
        assertTrue(callers.isOwn("organic.Orders"));
        assertFalse(callers.isOwn("java.lang.PacecarCalls"));
        assertFalse(callers.isOwn("org.springframework.jdbc.core.JdbcTemplate"));
        assertFalse(callers.isOwn("io.ktor.client.HttpClient"));
        assertFalse(callers.isOwn("org.jetbrains.exposed.sql.Query"));
        assertFalse(callers.isOwn("org.asynchttpclient.DefaultAsyncHttpClient"));
        assertFalse(callers.isOwn("dev.pacecar.agent.calls.Calls"));
    }

    @Test
    void aProxyOfAnInterfaceOfTheApplicationIsNoCaller() {
        Callers callers = new Callers(List.of("dev.pacecar.agent.calls.$Proxy"));
        Asking proxy = (Asking) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Asking.class},
                (self, method, arguments) -> ((Callers) arguments[0]).nearest());
        assertTrue(proxy.getClass().getName().startsWith("dev.pacecar.agent.calls.$Proxy"));
        assertNull(proxy.asked(callers));
    }

    /** Not public, so its proxies lie in its package. */
    interface Asking {
        StackFrame asked(Callers callers);
    }

    @Test
    void aStackWithoutTheApplicationHasNoCaller() {
        assertNull(new Callers(List.of("none.")).nearest());
    }

    @Test
    void nobodyLooksTooDeep() {
        Callers callers = new Callers(List.of("dev.pacecar.agent.calls.CallersTest$Outer"));
        assertNull(deeper(300, () -> callers));
        assertNull(callers.nearest());
    }

    private static StackFrame deeper(int frames, Supplier<Callers> callers) {
        if (frames == 0) {
            return callers.get().nearest();
        }
        return frames == 300 ? new Outer().deep(frames - 1, callers) : deeper(frames - 1, callers);
    }

    private static final class Outer {
        StackFrame through(Callers callers) {
            return Stream.of(callers)
                    .map(each -> new Inner().asked(each))
                    .findFirst()
                    .orElseThrow();
        }

        StackFrame deep(int frames, Supplier<Callers> callers) {
            return deeper(frames, callers);
        }
    }

    private static final class Inner {
        StackFrame asked(Callers callers) {
            return callers.nearest();
        }
    }
}
