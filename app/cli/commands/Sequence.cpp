// SPDX-License-Identifier: GPL-3.0-or-later

// sequence: causal AFT or softmax over bytes, images or text; a group of commands.

#include "app/cli/terminal/SequenceCommands.h"
#include "app/cli/terminal/UsageErrors.h"
#include "core/base/Translation.h"
#include "core/workbench/training/DistributedContext.h"

namespace headlight::cli {
namespace {

/// Of several processes the first speaks for all of them; this one only where nobody can be told.
void reportToPeers(const Error& error, Terminal& terminal, const std::stop_token& stop) {
  const auto launch = launchOfThisProcess();
  if (!launch || launch->alone()) return;
  const bool told = notifyWaitingPeers(*launch, error.text(), stop);
  terminal.silence(launch->rank > 0 && told);
}

class SequenceCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    m_group =
        app.add_subcommand("sequence", tr("Byte sequence models (causal AFT or Transformer): "
                                          "train, evaluate, complete, continue, attend, summary"));
    m_group->require_subcommand(0, 1);
    for (const auto make :
         {makeSequenceTrainCommand, makeSequenceEvaluateCommand, makeSequenceCompleteCommand,
          makeSequenceContinueCommand, makeSequenceAttendCommand, makeSequenceSummaryCommand}) {
      m_commands.push_back(make());
      m_declared.push_back(m_commands.back()->declare(*m_group));
      m_declared.back()->allow_extras();
    }
    m_group->footer(tr(
        "Model images byte by byte (bits/dim) or text (bits/char), as in the AFT paper, sections\n"
        "5.1 and 5.2. See headlight-cli sequence COMMAND --help; all commands take --json."));
    return m_group;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    for (std::size_t i = 0; i < m_declared.size(); ++i) {
      if (!m_declared[i]->parsed()) continue;
      if (const auto error = unexpectedArguments(*m_declared[i])) {
        if (m_declared[i]->get_name() == "train") reportToPeers(*error, terminal, stop);
        throw Failure(*error);
      }
      return m_commands[i]->run(terminal, stop);
    }
    refuseUsage("sequence",
                tr("needs a command: train, evaluate, complete, continue, attend or summary"));
  }

 private:
  CLI::App* m_group = nullptr;
  std::vector<std::unique_ptr<Command>> m_commands;
  std::vector<CLI::App*> m_declared;
};

}  // namespace

void SequenceRunOptions::declare(CLI::App& app) {
  app.add_option("run", run, tr("Run folder (uses its best weights), or a weights file"))
      ->type_name("RUN");
  app.add_option("--device", device, tr("auto (CUDA if available), cpu, cuda or cuda:N"))
      ->type_name("TEXT");
  app.add_option("--threads", threads, tr("CPU threads; default 0: as many as cores"))
      ->type_name("INT")
      ->check(CLI::Range(0, 1024).description(""));
}

std::shared_ptr<SequenceSession> SequenceRunOptions::open(const std::string& command) const {
  if (run.empty()) refuseUsage(command, tr("needs a RUN: a run folder or a weights file"));
  return valueOrThrow(SequenceSession::open(run, device, threads));
}

void SequenceDrawOptions::declare(CLI::App& app) {
  app.add_option(
         "--temperature", temperature,
         tr("Sampling temperature: divides the logits; 0 takes the most probable byte; default 1"))
      ->type_name("NUM")
      ->check(CLI::Range(0.0, 10.0).description(""));
  app.add_option("--seed", seed, tr("Random seed of the samples; default 0"))
      ->type_name("INT")
      ->check(CLI::Range(0.0, 9007199254740991.0).description(""));
}

std::unique_ptr<Command> makeSequenceCommand() {
  return std::make_unique<SequenceCommand>();
}

}  // namespace headlight::cli
