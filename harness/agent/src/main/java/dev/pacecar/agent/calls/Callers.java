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
        "bitronix.",
        "ch.qos.",
        "co.elastic.",
        "com.alibaba.druid.",
        "com.amazon.redshift.",
        "com.amazonaws.",
        "com.atomikos.",
        "com.azure.",
        "com.baomidou.",
        "com.blazebit.",
        "com.clickhouse.",
        "com.couchbase.",
        "com.datastax.",
        "com.facebook.presto.",
        "com.fasterxml.",
        "com.github.pagehelper.",
        "com.google.",
        "com.ibm.",
        "com.impossibl.",
        "com.mchange.",
        "com.microsoft.sqlserver.",
        "com.mongodb.",
        "com.mysql.",
        "com.p6spy.",
        "com.querydsl.",
        "com.sap.db.",
        "com.simba.",
        "com.singlestore.",
        "com.squareup.",
        "com.teradata.",
        "com.vertica.",
        "com.vladmihalcea.",
        "com.yugabyte.",
        "com.zaxxer.",
        "dev.pacecar.agent.",
        "io.agroal.",
        "io.ebean.",
        "io.grpc.",
        "io.helidon.",
        "io.lettuce.",
        "io.micrometer.",
        "io.micronaut.",
        "io.netty.",
        "io.opentelemetry.",
        "io.quarkus.",
        "io.r2dbc.",
        "io.reactivex.",
        "io.smallrye.",
        "io.trino.",
        "io.undertow.",
        "io.vertx.",
        "kong.unirest.",
        "net.bytebuddy.",
        "net.sf.",
        "net.snowflake.",
        "net.sourceforge.jtds.",
        "net.ttddyy.",
        "org.apache.",
        "org.aspectj.",
        "org.codehaus.",
        "org.datanucleus.",
        "org.duckdb.",
        "org.eclipse.",
        "org.elasticsearch.",
        "org.firebirdsql.",
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
        "org.neo4j.",
        "org.postgresql.",
        "org.redisson.",
        "org.seasar.",
        "org.slf4j.",
        "org.springframework.",
        "org.sql2o.",
        "org.sqlite.",
        "org.wildfly.",
        "redis.clients.",
        "software.amazon.",
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
