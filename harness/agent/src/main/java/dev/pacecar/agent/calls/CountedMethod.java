package dev.pacecar.agent.calls;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A method as it was, between a word at its beginning and one at each of its ends.
 *
 * <p>What the first word returned lies in a local variable behind all others. Frames are given that variable too; the one
 * of the handler knows no other, whatever the method has made of its arguments.
 */
final class CountedMethod extends MethodVisitor {
    private static final String ENTER = "(Ljava/lang/Object;Ljava/lang/String;)I";
    private static final String EXIT = "(I)V";
    private static final String EXIT_WITH = "(Ljava/lang/Object;I)V";

    private final String bridge;
    private final String what;
    private final int local;
    private final boolean framed;
    private final Label start = new Label();

    /**
     * @param bridge internal name of the class to call
     * @param what one of {@link Kind}
     * @param local the first free local variable
     * @param framed whether class files of its version have frames
     */
    CountedMethod(MethodVisitor next, String bridge, String what, int local, boolean framed) {
        super(Opcodes.ASM9, next);
        this.bridge = bridge;
        this.what = what;
        this.local = local;
        this.framed = framed;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitVarInsn(Opcodes.ALOAD, what.equals(Senders.REDIS) ? 1 : 0);
        super.visitLdcInsn(what);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, bridge, "enter", ENTER, false);
        super.visitVarInsn(Opcodes.ISTORE, local);
        super.visitLabel(start);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.ARETURN && what.equals(Kind.BATCH)) {
            super.visitInsn(Opcodes.DUP);
            super.visitVarInsn(Opcodes.ILOAD, local);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, bridge, "exit", EXIT_WITH, false);
        } else if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
            exit();
        }
        super.visitInsn(opcode);
    }

    @Override
    public void visitFrame(int type, int localCount, Object[] locals, int stackCount, Object[] stack) {
        List<Object> known = new ArrayList<>(Arrays.asList(locals).subList(0, localCount));
        int places = 0;
        for (Object each : known) {
            places += each == Opcodes.LONG || each == Opcodes.DOUBLE ? 2 : 1;
        }
        pad(known, places);
        super.visitFrame(type, known.size(), known.toArray(), stackCount, stack);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        Label handler = new Label();
        super.visitTryCatchBlock(start, handler, handler, null); // the last of all, so the outermost
        super.visitLabel(handler);
        if (framed) {
            List<Object> unknown = new ArrayList<>();
            pad(unknown, 0);
            super.visitFrame(Opcodes.F_NEW, unknown.size(), unknown.toArray(), 1, new Object[] {"java/lang/Throwable"});
        }
        exit();
        super.visitInsn(Opcodes.ATHROW);
        super.visitMaxs(maxStack + 2, Math.max(maxLocals, local) + 1);
    }

    private void exit() {
        super.visitVarInsn(Opcodes.ILOAD, local);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, bridge, "exit", EXIT, false);
    }

    private void pad(List<Object> locals, int places) {
        for (int place = places; place < local; place++) {
            locals.add(Opcodes.TOP);
        }
        locals.add(Opcodes.INTEGER);
    }
}
