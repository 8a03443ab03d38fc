package dev.pacecar.agent.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

class InstrumenterTest {
    private final Instrumenter instrumenter = new Instrumenter("dev/pacecar/agent/calls/TestBridge");

    @BeforeEach
    void begin() {
        TestBridge.begin();
    }

    /** Of the real driver, every class anew and instrumented; it is verified as any class is. */
    private Connection connection() throws Exception {
        Driver driver = (Driver) new Instrumented("org.h2.")
                .loadClass("org.h2.Driver")
                .getConstructor()
                .newInstance();
        return driver.connect("jdbc:h2:mem:", new Properties());
    }

    private static String counts() {
        String json = TestBridge.tally.json(0);
        return json.substring(json.indexOf("\"callers\":"));
    }

    private static String of(String method, int statements, int batched) {
        return "\"callers\":[[\"dev.pacecar.agent.calls.InstrumenterTest\",\"" + method + "\"," + statements + ","
                + batched + ",0]]}";
    }

    @Test
    void statementsOfARealDriverCountOnceEach() throws Exception {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table t (id int primary key, name varchar(9))");
            statement.executeUpdate("insert into t values (1, 'a')");
            try (PreparedStatement prepared = connection.prepareStatement("select name from t where id = ?")) {
                prepared.setInt(1, 1);
                try (ResultSet found = prepared.executeQuery()) {
                    assertTrue(found.next());
                    assertEquals("a", found.getString(1));
                }
                prepared.execute();
            }
        }
        assertEquals(0, instrumenter.failed());
        assertEquals(of("statementsOfARealDriverCountOnceEach", 4, 0), counts());
    }

    @Test
    void aBatchGoesOutOnceWithAllItsStatements() throws Exception {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table t (id int primary key)");
            try (PreparedStatement insert = connection.prepareStatement("insert into t values (?)")) {
                for (int id = 0; id < 7; id++) {
                    insert.setInt(1, id);
                    insert.addBatch();
                }
                assertEquals(7, insert.executeBatch().length);
                insert.setInt(1, 3);
                insert.addBatch();
                assertThrows(SQLException.class, insert::executeBatch); // there already
            }
        }
        assertEquals(of("aBatchGoesOutOnceWithAllItsStatements", 3, 7), counts());
    }

    @Test
    void aStatementThatFailsCountsAndTheNextOneToo() throws Exception {
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 3; i++) {
                assertThrows(SQLException.class, () -> statement.execute("no such statement"));
            }
        }
        String json = TestBridge.tally.json(0);
        assertTrue(json.contains("lambda$"), json);
        assertTrue(json.contains(",3,0,0]"), json);
    }

    @Test
    void statementsThatAPoolWrapsDoNotCountAgain() throws Exception {
        ClassLoader loader = new Instrumented("org.h2.", "com.zaxxer.hikari.");
        Object driver = made(loader, "org.h2.jdbcx.JdbcDataSource");
        driver.getClass().getMethod("setURL", String.class).invoke(driver, "jdbc:h2:mem:");
        Object pool = made(loader, "com.zaxxer.hikari.HikariDataSource");
        pool.getClass().getMethod("setDataSource", DataSource.class).invoke(pool, driver);
        try (Connection connection = ((DataSource) pool).getConnection();
                Statement statement = connection.createStatement();
                PreparedStatement insert = connection.prepareStatement("select ?")) {
            assertTrue(statement.getClass().getName().startsWith("com.zaxxer.hikari.pool.HikariProxy"));
            statement.execute("select 1");
            statement.executeQuery("select 2");
            insert.setInt(1, 3);
            insert.executeQuery();
        } finally {
            ((AutoCloseable) pool).close();
        }
        assertEquals(of("statementsThatAPoolWrapsDoNotCountAgain", 3, 0), counts());
    }

    private static Object made(ClassLoader loader, String type) throws ReflectiveOperationException {
        return loader.loadClass(type).getConstructor().newInstance();
    }

    @Test
    void otherClassesWithSuchMethodsRunAsBefore() throws Exception {
        Class<?> type = new Instrumented("dev.pacecar.agent.calls.Odd").loadClass("dev.pacecar.agent.calls.OddMethods");
        Object odd = type.getConstructor().newInstance();
        assertEquals(true, type.getMethod("execute", String.class).invoke(odd, "5"));
        assertEquals(15, type.getMethod("executeUpdate").invoke(odd));
        assertEquals("\"callers\":[]}", counts());
    }

    @Test
    void argumentsThatBecomeSomethingElseAndLoopsToTheBeginningAreVerified() throws Exception {
        byte[] file = reusing(Opcodes.V17);
        byte[] changed = instrumenter.transform(loader(), "shop/Reusing", null, null, file);
        assertNotNull(changed);
        Class<?> type = new Defining().define("shop.Reusing", changed);
        Object made = type.getConstructor().newInstance();
        assertEquals(true, type.getMethod("execute", String.class).invoke(made, "any"));
    }

    @Test
    void classFilesOfOldDriversHaveNoFramesAndGetNone() throws Exception {
        byte[] changed = instrumenter.transform(loader(), "shop/Reusing", null, null, reusing(Opcodes.V1_4));
        assertNotNull(changed);
        Class<?> type = new Defining().define("shop.Reusing", changed);
        Object made = type.getConstructor().newInstance();
        assertEquals(true, type.getMethod("execute", String.class).invoke(made, "any"));
    }

    @Test
    void aClassThatCannotBeInstrumentedStaysAsItIsAndIsCounted() throws Exception {
        byte[] later = reusing(Opcodes.V17);
        later[7] = (byte) 0xEE; // of a Java that nobody knows yet
        byte[] early = Arrays.copyOf(reusing(Opcodes.V17), 60);
        assertNull(instrumenter.transform(loader(), "shop/Later", null, null, later));
        assertNull(instrumenter.transform(loader(), "shop/Early", null, null, early));
        assertNull(instrumenter.transform(loader(), "shop/None", null, null, new byte[] {1, 2, 3}));
        assertEquals(3, instrumenter.failed());
    }

    @Test
    void whatHasNoSuchMethodIsNotTouched() throws Exception {
        byte[] file = bytes("dev.pacecar.agent.calls.ConstantPool");
        assertNull(instrumenter.transform(loader(), "shop/ConstantPool", null, null, file));
        assertNull(instrumenter.transform(loader(), null, null, null, file));
        byte[] ofStatement = reusing(Opcodes.V17);
        assertNull(instrumenter.transform(null, "shop/Boot", null, null, ofStatement));
        assertNull(instrumenter.transform(loader(), "java/sql/Odd", null, null, ofStatement));
        assertNull(instrumenter.transform(loader(), "shop/Again", String.class, null, ofStatement));
        assertEquals(0, instrumenter.failed());
    }

    @Test
    void whatTheAgentNeedsIsLoadedByARehearsal() throws Exception {
        instrumenter.rehearse();
        assertEquals(0, instrumenter.failed());
        assertFalse(TestBridge.tally.json(0).contains("Rehearsal"));
    }

    private ClassLoader loader() {
        return getClass().getClassLoader();
    }

    /**
     * {@code boolean execute(String)} that jumps back to its first instruction, and uses the place of its argument for a
     * number and then half of a long one.
     */
    private static byte[] reusing(int version) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(version, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, "shop/Reusing", null, "java/lang/Object", null);
        MethodVisitor made = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        made.visitCode();
        made.visitVarInsn(Opcodes.ALOAD, 0);
        made.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        made.visitInsn(Opcodes.RETURN);
        made.visitMaxs(0, 0);
        MethodVisitor method = writer.visitMethod(Opcodes.ACC_PUBLIC, "execute", "(Ljava/lang/String;)Z", null, null);
        method.visitCode();
        Label first = new Label();
        Label rest = new Label();
        method.visitLabel(first);
        if (version >= Opcodes.V1_6) {
            method.visitFrame(Opcodes.F_FULL, 2, new Object[] {"shop/Reusing", "java/lang/String"}, 0, new Object[0]);
        }
        method.visitVarInsn(Opcodes.ALOAD, 1);
        method.visitJumpInsn(Opcodes.IFNULL, rest);
        method.visitInsn(Opcodes.ACONST_NULL);
        method.visitVarInsn(Opcodes.ASTORE, 1);
        method.visitJumpInsn(Opcodes.GOTO, first);
        method.visitLabel(rest);
        if (version >= Opcodes.V1_6) {
            method.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
        }
        method.visitInsn(Opcodes.ICONST_5);
        method.visitVarInsn(Opcodes.ISTORE, 1);
        method.visitInsn(Opcodes.LCONST_1);
        method.visitVarInsn(Opcodes.LSTORE, 0); // over this, too
        method.visitInsn(Opcodes.ICONST_1);
        method.visitInsn(Opcodes.IRETURN);
        method.visitMaxs(0, 0);
        writer.visitEnd();
        return writer.toByteArray();
    }

    private static byte[] bytes(String name) throws IOException {
        try (InputStream file =
                InstrumenterTest.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
            return file.readAllBytes();
        }
    }

    /** Defines classes below a prefix itself, instrumented where they make calls. */
    private final class Instrumented extends ClassLoader {
        private final List<String> prefixes;

        Instrumented(String... prefixes) {
            super(InstrumenterTest.class.getClassLoader());
            this.prefixes = List.of(prefixes);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null || prefixes.stream().noneMatch(name::startsWith)) {
                    return known != null ? known : super.loadClass(name, resolve);
                }
                try {
                    byte[] file = bytes(name);
                    // Names of the agent's own package are never instrumented; these only lie there to be tested.
                    String shown = name.replace('.', '/').replace("dev/pacecar/agent", "shop");
                    byte[] changed = instrumenter.transform(this, shown, null, null, file);
                    byte[] used = changed == null ? file : changed;
                    return defineClass(name, used, 0, used.length);
                } catch (IOException | NullPointerException missing) {
                    throw new ClassNotFoundException(name, missing);
                }
            }
        }
    }

    private static final class Defining extends ClassLoader {
        Defining() {
            super(InstrumenterTest.class.getClassLoader());
        }

        Class<?> define(String name, byte[] file) {
            return defineClass(name, file, 0, file.length);
        }
    }
}
