// SPDX-License-Identifier: GPL-3.0-or-later

// selftest: whether this machine's device computes what the CPU computes, and how fast.

#include "core/workbench/selftest/SelfTest.h"
#include "app/cli/reports/TableText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/selftest/SelfTestTable.h"

namespace headlight::cli {
namespace {

class SelfTestCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "selftest", tr("Check this machine's device against the CPU: kernels, every mechanism, 16 "
                       "bits, two processes, speed and memory"));
    command->add_option("--device", m_options.device,
                        tr("auto (CUDA if available), cpu, cuda or cuda:N"));
    command->add_option("--threads", m_options.threads, tr("CPU threads; 0 means as many as cores"))
        ->check(CLI::Range(0, 1024));
    command->add_flag("--quick", m_options.quick,
                      tr("Measure the speed of a very small model instead of DeiT-T's"));
    command
        ->add_option("--json", m_json,
                     tr("Also write the rows as one JSON object; - for standard output"))
        ->type_name("FILE");
    command->add_flag("--process", m_process)->group("");  // of the check of two processes
    command->footer(tr("Exit code 0: every row passed or was skipped; 1: a row failed"));
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    if (m_process) {
      valueOrThrow(runSelfTestProcess(m_options, stop));
      return kExitOk;
    }
    // This program itself, however it was started.
    m_options.process = {"/proc/self/exe", "selftest", "--process", "--threads", "1"};
    if (m_json == kStandardOutput) terminal.leaveStandardOutput();
    const SelfTestReport report = measured(terminal, stop);
    print(report, terminal);  // first: it is there even where the file cannot be written
    if (!m_json.empty())
      valueOrThrow(writeFileAtomically(m_json, jsonText(selfTestJson(report)) + "\n"));
    return report.passed() ? kExitOk : kExitFailed;
  }

 private:
  /// Failures are said at once: what follows may take minutes.
  SelfTestReport measured(Terminal& terminal, const std::stop_token& stop) const {
    ProgressBar bar(terminal);
    const SelfTestSink sink = [&](const SelfTestRow& row) {
      if (!row.passed) terminal.warning(row.name + tr(": failed ") + row.note);
    };
    return valueOrThrow(runSelfTest(m_options, sink, stop, bar.callback()));
  }

  static void print(const SelfTestReport& report, Terminal& terminal) {
    terminal.print(report.machine + tr(" · measured on ") + report.device);
    terminal.printText(tableText(selfTestTable(report)));
    terminal.print(selfTestSummary(report));
  }

  std::string m_json;
  bool m_process = false;
  SelfTestOptions m_options;
};

}  // namespace

std::unique_ptr<Command> makeSelfTestCommand() {
  return std::make_unique<SelfTestCommand>();
}

}  // namespace headlight::cli
