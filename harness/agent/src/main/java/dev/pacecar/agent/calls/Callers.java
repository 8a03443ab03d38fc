package dev.pacecar.agent.calls;

import java.lang.StackWalker.StackFrame;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** Finds the method of the application that a call is made from. */
final class Callers {
    /** Deeper than this nobody looks: it would cost more than it tells. */
    private static final int DEEPEST = 256;

    /** Without the application's own prefixes: what is none of these is taken to be of the application. */
    private static final String[] LIBRARIES = {
        "java.",
        "javax.",
        "jdk.",
        "sun.",
        "com.sun.",
        "jakarta.",
        "kotlin.",
        "kotlinx.",
        "scala.",
        "groovy.",
        "clojure.",
        "akka.",
        "play.",
        "reactor.",
        "feign.",
        "retrofit2.",
        "okhttp3.",
        "okio.",
        "oracle.",
        "liquibase.",
        "ch.qos.",
        "com.fasterxml.",
        "com.google.",
        "com.ibm.",
        "com.microsoft.sqlserver.",
        "com.mysql.",
        "com.p6spy.",
        "com.zaxxer.",
        "com.mchange.",
        "com.clickhouse.",
        "dev.pacecar.agent.",
        "io.agroal.",
        "io.grpc.",
        "io.helidon.",
        "io.micrometer.",
        "io.micronaut.",
        "io.netty.",
        "io.opentelemetry.",
        "io.quarkus.",
        "io.r2dbc.",
        "io.reactivex.",
        "io.smallrye.",
        "io.undertow.",
        "io.vertx.",
        "net.bytebuddy.",
        "net.sf.",
        "net.ttddyy.",
        "org.apache.",
        "org.aspectj.",
        "org.codehaus.",
        "org.eclipse.",
        "org.flywaydb.",
        "org.glassfish.",
        "org.h2.",
        "org.hibernate.",
        "org.hsqldb.",
        "org.jboss.",
        "org.jdbi.",
        "org.jooq.",
        "org.mariadb.",
        "org.mybatis.",
        "org.postgresql.",
        "org.slf4j.",
        "org.springframework.",
        "org.sqlite.",
        "org.wildfly.",
    };

    private final StackWalker walker = StackWalker.getInstance();
    private final String[] application;

    Callers(List<String> application) {
        this.application = application.toArray(String[]::new);
    }

    /** The nearest frame of the application on this thread; null where it has none. */
    StackFrame nearest() {
        return walker.walk(this::first);
    }

    private StackFrame first(Stream<StackFrame> frames) {
        Iterator<StackFrame> each = frames.iterator();
        for (int depth = 0; depth < DEEPEST && each.hasNext(); depth++) {
            StackFrame frame = each.next();
            if (isOwn(frame.getClassName())) {
                return frame;
            }
        }
        return null;
    }

    /** Whether a class is the application's own. */
    boolean isOwn(String type) {
        return application.length > 0 ? begins(type, application) : !begins(type, LIBRARIES);
    }

    private static boolean begins(String type, String[] prefixes) {
        for (String prefix : prefixes) {
            if (type.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
