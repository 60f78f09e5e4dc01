/** What tests with programs in Java need of this machine. */
import { join } from "node:path";

/** The goal of Maven that copies the jars that a manifest names. */
export const COPY_JARS = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

export function findJava(program: "java" | "javac"): string {
  const { JAVA_HOME } = process.env;
  return JAVA_HOME === undefined ? program : join(JAVA_HOME, "bin", program);
}
