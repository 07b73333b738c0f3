// SPDX-License-Identifier: GPL-3.0-or-later

// sequence evaluate: bits/dim of images, bits/char of text.

#include <cstdio>

#include "app/cli/options/ParameterFlags.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "app/cli/terminal/SequenceCommands.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

class SequenceEvaluateCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("evaluate", tr("Measure the bits per byte of a trained model"));
    m_run.declare(*command);
    command
        ->add_option("--split", m_split,
                     tr("train, validation or test (text only: its last 5 %); default validation"))
        ->type_name("TEXT");
    command
        ->add_option(
            "--samples", m_samples,
            tr("At most this many sequences, spread evenly over the split; default 0: all"))
        ->type_name("INT")
        ->check(CLI::Range(0.0, 1e12).description(""));
    declareJson(*command, m_json);
    command->footer(tr("Uses the run's own data; the flags of the group Data change it."));
    m_flags.declare(*command, {"data"});
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    const SequenceSplit split = valueOrThrow(sequenceSplitFromText(m_split));
    const auto session = m_run.open("sequence evaluate");
    if (!m_flags.empty()) {
      Json json = sequenceToJson(session->experiment());
      m_flags.apply(json);
      valueOrThrow(session->setData(valueOrThrow(sequenceFromJson(json)).data));
    }
    ProgressBar bar(terminal);
    const SequenceScore score =
        valueOrThrow(session->evaluate(split, m_samples, bar.callback(), stop));
    if (score.skipped > 0)
      terminal.warning(
          countText(score.skipped, tr("damaged image was"), tr("damaged images were")) +
          tr(" skipped"));
    report(score, session->experiment(), terminal);
    return kExitOk;
  }

 private:
  void report(const SequenceScore& score, const SequenceExperiment& experiment,
              Terminal& terminal) const {
    if (terminal.json()) {
      terminal.printJson(Json{{"split", m_split},
                              {"bits", score.bits},
                              {"unit", experiment.unit()},
                              {"sequences", score.sequences},
                              {"bytes", score.bytes},
                              {"skipped", score.skipped},
                              {"seconds", score.seconds}});
      return;
    }
    char line[160];
    std::snprintf(line, sizeof line, tr("%s  %.4f %s  %lld %s  %lld bytes  %.1f s"),
                  m_split.c_str(), score.bits, experiment.unit(),
                  static_cast<long long>(score.sequences),
                  experiment.ofImages() ? "images" : "pieces", static_cast<long long>(score.bytes),
                  score.seconds);
    terminal.print(line);
  }

  SequenceRunOptions m_run;
  std::string m_split = "validation";
  std::int64_t m_samples = 0;
  bool m_json = false;
  ParameterFlags m_flags{sequenceSections(), overrideSequenceParameter};
};

}  // namespace

std::unique_ptr<Command> makeSequenceEvaluateCommand() {
  return std::make_unique<SequenceEvaluateCommand>();
}

}  // namespace headlight::cli
