package dev.pacecar.agent.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.reflect.Method;
import java.net.HttpURLConnection;
import java.net.http.HttpClient;
import java.sql.CallableStatement;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.h2.jdbc.JdbcPreparedStatement;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.Type;

class KindTest {
    @Test
    void everyWayOfExecutingAStatementIsOne() {
        Set<String> found = new TreeSet<>();
        for (Method each : CallableStatement.class.getMethods()) {
            if (each.getName().startsWith("execute")) {
                assertEquals(
                        each.getName().endsWith("Batch") ? Kind.BATCH : Kind.STATEMENT,
                        Kind.of(each.getName(), Type.getMethodDescriptor(each)),
                        each.toString());
                found.add(each.getName());
            }
        }
        assertEquals(
                Set.of(
                        "execute",
                        "executeQuery",
                        "executeUpdate",
                        "executeBatch",
                        "executeLargeUpdate",
                        "executeLargeBatch"),
                found);
    }

    @Test
    void everyWayOfSendingARequestIsOne() throws Exception {
        for (Method each : HttpClient.class.getMethods()) {
            if (each.getName().startsWith("send")) {
                assertEquals(Kind.CALL, Kind.of(each.getName(), Type.getMethodDescriptor(each)), each.toString());
            }
        }
        Class<?> apache = org.apache.hc.client5.http.classic.HttpClient.class;
        Arrays.stream(apache.getMethods())
                .filter(each -> each.getName().equals("execute"))
                .forEach(each -> assertEquals(Kind.CALL, Kind.of("execute", Type.getMethodDescriptor(each))));
        for (String name : new String[] {"execute", "enqueue"}) {
            Method method = Arrays.stream(okhttp3.Call.class.getMethods())
                    .filter(each -> each.getName().equals(name))
                    .findFirst()
                    .orElseThrow();
            assertEquals(Kind.CALL, Kind.of(name, Type.getMethodDescriptor(method)));
        }
    }

    @Test
    void otherMethodsOfTheSameNameAreNot() {
        assertNull(Kind.of("execute", "(Ljava/lang/Runnable;)V"));
        assertNull(Kind.of("send", "(Ljava/lang/String;)V"));
        assertNull(Kind.of("writeRequests", "(I)V"));
        assertNull(Kind.of("enqueue", "(Ljava/lang/Object;)Z"));
        assertNull(Kind.of("executeBatch", "()I"));
        assertNull(Kind.of("run", "()V"));
    }

    @Test
    void whatAnObjectIsShowsInItsTypesNames() {
        assertEquals(Kind.OF_DATABASE, Kind.of(JdbcPreparedStatement.class));
        assertEquals(Kind.OF_DATABASE, Kind.of(Statement.class));
        assertEquals(Kind.OF_HTTP, Kind.of(HttpURLConnection.class));
        assertEquals(Kind.OF_HTTP, Kind.of(HttpClient.newHttpClient().getClass()));
        assertEquals(0, Kind.of(KindTest.class));
        assertEquals(0, Kind.of(Object.class));
    }
}
