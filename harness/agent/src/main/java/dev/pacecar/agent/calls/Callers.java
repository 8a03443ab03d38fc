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
        "anorm.",
        "brave.",
        "cats.",
        "ch.qos.",
        "co.elastic.",
        "com.aerospike.",
        "com.alibaba.druid.",
        "com.amazon.redshift.",
        "com.amazonaws.",
        "com.apollographql.",
        "com.arangodb.",
        "com.atomikos.",
        "com.azure.",
        "com.baomidou.",
        "com.blazebit.",
        "com.clickhouse.",
        "com.couchbase.",
        "com.datastax.",
        "com.facebook.presto.",
        "com.fasterxml.",
        "com.github.benmanes.",
        "com.github.gavlyukovskiy.",
        "com.github.kagkarlsson.",
        "com.github.pagehelper.",
        "com.google.",
        "com.hazelcast.",
        "com.ibm.",
        "com.impossibl.",
        "com.influxdb.",
        "com.j256.ormlite.",
        "com.linecorp.armeria.",
        "com.mchange.",
        "com.microsoft.sqlserver.",
        "com.mongodb.",
        "com.mysql.",
        "com.netflix.",
        "com.newrelic.",
        "com.nimbusds.",
        "com.oracle.",
        "com.p6spy.",
        "com.querydsl.",
        "com.rabbitmq.",
        "com.sap.db.",
        "com.simba.",
        "com.singlestore.",
        "com.squareup.",
        "com.teradata.",
        "com.typesafe.",
        "com.vertica.",
        "com.vladmihalcea.",
        "com.yugabyte.",
        "com.zaxxer.",
        "datadog.",
        "dev.failsafe.",
        "dev.langchain4j.",
        "dev.morphia.",
        "dev.pacecar.agent.",
        "doobie.",
        "fs2.",
        "graphql.",
        "io.agroal.",
        "io.airlift.",
        "io.awspring.",
        "io.confluent.",
        "io.debezium.",
        "io.dropwizard.",
        "io.ebean.",
        "io.fabric8.",
        "io.getquill.",
        "io.getunleash.",
        "io.github.bucket4j.",
        "io.github.resilience4j.",
        "io.grpc.",
        "io.helidon.",
        "io.javalin.",
        "io.ktor.",
        "io.kubernetes.",
        "io.lettuce.",
        "io.micrometer.",
        "io.micronaut.",
        "io.minio.",
        "io.nats.",
        "io.netty.",
        "io.opencensus.",
        "io.opentelemetry.",
        "io.opentracing.",
        "io.prometheus.",
        "io.pyroscope.",
        "io.quarkus.",
        "io.r2dbc.",
        "io.reactivex.",
        "io.rsocket.",
        "io.sentry.",
        "io.smallrye.",
        "io.temporal.",
        "io.trino.",
        "io.undertow.",
        "io.vavr.",
        "io.vertx.",
        "kong.unirest.",
        "net.bytebuddy.",
        "net.javacrumbs.",
        "net.sf.",
        "net.snowflake.",
        "net.sourceforge.jtds.",
        "net.ttddyy.",
        "org.apache.",
        "org.aspectj.",
        "org.asynchttpclient.",
        "org.axonframework.",
        "org.camunda.",
        "org.codehaus.",
        "org.datanucleus.",
        "org.duckdb.",
        "org.eclipse.",
        "org.ehcache.",
        "org.elasticsearch.",
        "org.firebirdsql.",
        "org.flowable.",
        "org.flywaydb.",
        "org.glassfish.",
        "org.h2.",
        "org.hibernate.",
        "org.hsqldb.",
        "org.http4s.",
        "org.infinispan.",
        "org.influxdb.",
        "org.jboss.",
        "org.jdbi.",
        "org.jetbrains.exposed.",
        "org.jetbrains.kotlin.",
        "org.jobrunr.",
        "org.jooq.",
        "org.keycloak.",
        "org.ktorm.",
        "org.mariadb.",
        "org.mongodb.",
        "org.mybatis.",
        "org.neo4j.",
        "org.opensearch.",
        "org.postgresql.",
        "org.quartz.",
        "org.reactivestreams.",
        "org.redisson.",
        "org.seasar.",
        "org.slf4j.",
        "org.springframework.",
        "org.sql2o.",
        "org.sqlite.",
        "org.thymeleaf.",
        "org.typelevel.",
        "org.wildfly.",
        "redis.clients.",
        "scalikejdbc.",
        "slick.",
        "software.amazon.",
        "sttp.",
        "zio.",
        "zipkin2.",
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
            if (isOwn(frame.getClassName()) && !isProxy(frame.getClassName())) {
                return frame;
            }
        }
        return null;
    }

    /** Whether a class is the application's own. */
    boolean isOwn(String type) {
        return application.length > 0 ? begins(type, application) : !begins(type, LIBRARIES);
    }

    /** Whether the JVM made a class, for an interface that may lie in the application's package: nobody wrote it. */
    private static boolean isProxy(String type) {
        return type.startsWith("$Proxy", type.lastIndexOf('.') + 1);
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
