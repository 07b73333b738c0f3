// SPDX-License-Identifier: GPL-3.0-or-later

// sequence: causal AFT or softmax over bytes, pictures or text; a group of commands.

#include "app/cli/terminal/SequenceCommands.h"
#include "app/cli/terminal/UsageErrors.h"

namespace headlight::cli {
namespace {

class SequenceCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    m_group = app.add_subcommand(
        "sequence",
        "Sequences of bytes with causal AFT or a Transformer: train, evaluate, complete, "
        "continue, attend, summary");
    m_group->require_subcommand(0, 1);
    for (const auto make :
         {makeSequenceTrainCommand, makeSequenceEvaluateCommand, makeSequenceCompleteCommand,
          makeSequenceContinueCommand, makeSequenceAttendCommand, makeSequenceSummaryCommand}) {
      m_commands.push_back(make());
      m_declared.push_back(m_commands.back()->declare(*m_group));
      m_declared.back()->allow_extras();
    }
    m_group->footer(
        "Pictures byte by byte (bits/dim) and text (bits/char), as in the AFT paper, sections 5.1\n"
        "and 5.2. headlight-cli sequence COMMAND --help says more; all take --json.");
    return m_group;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    for (std::size_t i = 0; i < m_declared.size(); ++i) {
      if (!m_declared[i]->parsed()) continue;
      if (const auto error = unexpectedArguments(*m_declared[i])) throw Failure(*error);
      return m_commands[i]->run(terminal, stop);
    }
    refuseUsage("sequence",
                "needs a command: train, evaluate, complete, continue, attend or summary");
  }

 private:
  CLI::App* m_group = nullptr;
  std::vector<std::unique_ptr<Command>> m_commands;
  std::vector<CLI::App*> m_declared;
};

}  // namespace

void SequenceRunOptions::declare(CLI::App& app) {
  app.add_option("run", run, "Folder of a run (its best weights), or weights of one")
      ->type_name("RUN");
  app.add_option("--device", device, "auto (CUDA if there is one), cpu, cuda or cuda:N")
      ->type_name("TEXT");
  app.add_option("--threads", threads, "CPU threads; default 0: as many as cores")
      ->type_name("INT")
      ->check(CLI::Range(0, 1024).description(""));
}

std::shared_ptr<SequenceSession> SequenceRunOptions::open(const std::string& command) const {
  if (run.empty()) refuseUsage(command, "needs a RUN: the folder of a run, or weights of one");
  return valueOrThrow(SequenceSession::open(run, device, threads));
}

void SequenceDrawOptions::declare(CLI::App& app) {
  app.add_option("--temperature", temperature,
                 "What the logits are divided by; 0 takes the most probable byte; default 1")
      ->type_name("NUM")
      ->check(CLI::Range(0.0, 10.0).description(""));
  app.add_option("--seed", seed, "What is drawn; default 0")
      ->type_name("INT")
      ->check(CLI::Range(0.0, 9007199254740991.0).description(""));
}

std::unique_ptr<Command> makeSequenceCommand() {
  return std::make_unique<SequenceCommand>();
}

}  // namespace headlight::cli
