set -e
rm -rf target && mkdir -p target/classes
javac -d target/classes *.java
jar --create --file target/service.jar --main-class Service -C target/classes .
