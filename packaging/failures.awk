# Of CTest's log only what failed: a test's own lines, the last 40 where it wrote more.
function start() { count = 0 }
function keep(line) { lines[count++] = line }
function show(   i) {
  for (i = count > 40 ? count - 40 : 0; i < count; i++) print lines[i]
  start()
}
/^\[ RUN      \]/ { start() }                    # GoogleTest
!/registered at .*\[[a-z ]+\]$/ { keep($0) }   # LibTorch lists its kernels, seventy lines, where it has none
/^\[       OK \]/ { start() }
/^\[  FAILED  \].* ms\)/ { show() }
/^(PASS|SKIP|XFAIL) / { start() }                # Qt Test
/^(FAIL!|XPASS) / { failing = 1; next }
failing { show(); failing = 0 }                  # the place stands in the line after
/^"[^"]*" start time:/ { start() }
/^Test (Failed|Timeout)|^\*\*\*[A-Z]/ { show() }   # Qt Test begins with stars as well
/^Test Passed|^<end of output>/ { if (/^Test Passed/) start() }
