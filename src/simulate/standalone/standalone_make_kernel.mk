# LW_TITLE
# make         builds ./LW_NAME
# make test    its self-test
# make run     the motion of LW_NAME.data, as LW_NAME.csv
CXX ?= c++
CXXFLAGS ?= -O2 -march=native
LW_NAME: LW_NAME.cpp
	$(CXX) -std=c++17 $(CXXFLAGS) LW_FLAGS -o $@ $<
test: LW_NAME
	./LW_NAME selftest
run: LW_NAME
	./LW_NAME forward LW_NAME.data --out LW_NAME.csv
clean:
	rm -f LW_NAME
.PHONY: test run clean
