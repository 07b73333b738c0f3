// SPDX-License-Identifier: GPL-3.0-or-later

// sequence train: a config, headless; or a run that goes on.

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/cli/options/ParameterFlags.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "app/cli/terminal/SequenceCommands.h"
#include "app/cli/terminal/Signals.h"
#include "core/base/ProgramFolder.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/workbench/sequences/SequenceTraining.h"
#include "core/workbench/training/DistributedContext.h"

namespace headlight::cli {
namespace {

Json readingJson(const SequenceReading& reading) {
  Json json = {{"event", reading.validationBits ? "validation" : "step"},
               {"step", reading.step},
               {"train_bits", reading.trainBits}};
  if (reading.validationBits) json["validation_bits"] = *reading.validationBits;
  if (reading.stepsPerSecond > 0) json["steps_per_second"] = reading.stepsPerSecond;
  if (reading.peakBytes > 0) json["peak_bytes"] = reading.peakBytes;
  return json;
}

/// "  1.25 steps/s  812 MB"; what is not known is left out.
std::string paceText(const SequenceReading& reading) {
  char text[64];
  std::string pace;
  if (reading.stepsPerSecond > 0) {
    std::snprintf(text, sizeof text,
                  reading.stepsPerSecond < 10 ? tr("  %.2f steps/s") : tr("  %.0f steps/s"),
                  reading.stepsPerSecond);
    pace += text;
  }
  if (reading.peakBytes > 0) {
    std::snprintf(text, sizeof text, tr("  %lld MB"),
                  static_cast<long long>(reading.peakBytes / 1'000'000));
    pace += text;
  }
  return pace;
}

class SequenceTrainCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("train", tr("Train from a config, or resume a run"));
    command
        ->add_option("config", m_config,
                     tr("A config with data, model and training, such as "
                        "models/presets/sequence-*.json; --resume uses the run's own"))
        ->type_name("CONFIG");
    command
        ->add_option("--run", m_run,
                     tr("Run folder: config.json, metrics.csv, metrics.jsonl, checkpoints"))
        ->type_name("FOLDER");
    command->add_flag("--resume", m_resume,
                      tr("Resume the run in --run, exactly as if it was never interrupted"));
    command->add_flag("--resume-or-start", m_resumeOrStart,
                      tr("Resume the run in --run with its original settings, or start it if there "
                         "is none; for jobs that restart automatically"));
    command->add_flag("--json", m_json,
                      tr("Print one JSON object per line: step and validation events as they "
                         "happen, and finished or stopped at the end"));
    command->footer(tr(
        "Every parameter of the config is a flag, in the groups above. Sizes of the AFT paper:\n"
        "  images (Table 2)  --data.dataset cifar10 --data.augment yes --model.mechanism "
        "aft_local\n"
        "                      --model.window 256 --model.rank 64 --model.depth 24 "
        "--model.width 256\n"
        "                      --model.dropout 0.1 --training.batch_size 128\n"
        "                      --training.steps 78000\n"
        "  text (Table 4)      --data.kind text --data.path enwik8 --model.length 1024\n"
        "                      --model.mechanism aft_local --model.window 32 --model.rank 256\n"
        "                      --model.depth 24 --model.width 256 --model.dropout 0.1\n"
        "                      --training.weight_decay 0.5 --training.batch_size 128\n"
        "                      --training.steps 68000\n"
        "  AFT-simple          --model.mechanism aft_simple, the rest as above\n"
        "  Transformer         --model.mechanism softmax --model.heads 2 (text: 4)\n"
        "  Performer           --model.mechanism performer --model.heads 8 (text, Table 4)\n"
        "Ctrl+C writes a checkpoint and exits with 130; --resume continues from there.\n"
        "Under torchrun, mpirun and srun the processes train one run together: the sequences of\n"
        "each step are divided among them, and process 0 writes files and messages."));
    m_flags.declare(*command, {"", "data", "model", "training"});
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    surviveClosedPipes();
    m_together.launch = valueOrThrow(launchOfThisProcess());
    m_together.stop = stop;
    const bool first = m_together.launch.rank == 0;
    auto code = guarded("", [&] { return first ? train(terminal, stop) : join(terminal, stop); });
    // Who never met the others speaks for itself, and the first that is left for all.
    if (!code && !first) terminal.silence(peersNotified());
    return valueOrThrow(std::move(code));
  }

 private:
  /// Runs `body`; where it throws, the processes that wait for this one get to know why.
  template <typename Body>
  auto reportedIfNot(Body&& body) {
    try {
      return body();
    } catch (const std::exception& exception) {
      notifyWaitingPeers(m_together.launch, failureMessage(exception), m_together.stop);
      throw;
    }
  }

  /// Begins or resumes the run, alone or as the first of several processes.
  int train(Terminal& terminal, const std::stop_token& stop) {
    const SequenceExperiment experiment = reportedIfNot([&] { return describe(); });
    terminal.note((resumes() ? tr("resuming ") : tr("training ")) + experiment.name + " in " +
                  m_run + companyText());
    // Only once it has begun: what is refused has not.
    bool begun = !terminal.json();
    const auto begin = [&] {
      if (!std::exchange(begun, true))
        terminal.printJson(Json{{"event", "begin"},
                                {"run", m_run},
                                {"resumed", resumes()},
                                {"processes", m_together.launch.count}});
    };
    const auto outcome = [&] {
      ProgressBar bar(terminal);
      return trainSequence(
          experiment, m_run, resumes(),
          [&](const SequenceReading& reading) {
            begin();
            notify(reading, experiment, bar, terminal);
          },
          stop, m_together);
    }();
    if (outcome) begin();
    return report(valueOrThrow(outcome), experiment, terminal);
  }

  /// Takes part in the run of process 0, whose folder need not be seen here.
  int join(Terminal& terminal, const std::stop_token& stop) {
    const auto own = reportedIfNot([&] { return ownSettings(); });
    const auto outcome = joinSequence(own, m_together, stop);
    return report(valueOrThrow(outcome), own.value_or(SequenceExperiment()), terminal);
  }

  std::string companyText() const {
    const Launch& launch = m_together.launch;
    return launch.alone()
               ? ""
               : ", " + std::to_string(launch.count) + tr(" processes by ") + launch.launcher;
  }

  bool holdsRun() const {
    std::error_code unknown;
    const std::filesystem::path folder = m_run;
    return std::filesystem::exists(folder / "config.json", unknown) ||
           std::filesystem::exists(folder / "last.safetensors", unknown);
  }
  bool resumes() const { return m_resumed; }

  void requireRun() const {
    if (m_run.empty()) refuseUsage("--run", tr("is missing; give the run folder"));
    if (m_resume && m_resumeOrStart)
      refuseUsage("--resume-or-start", tr("already resumes; leave out --resume"));
  }

  /// What is trained, and for the other processes what all must have been asked for.
  SequenceExperiment describe() {
    requireRun();
    const bool orStart = m_resumeOrStart && holdsRun();
    m_resumed = m_resume || orStart;
    SequenceExperiment given = described();
    m_together.task = m_resume ? Json{{"resume", true}} : sharedTask(given);
    return orStart ? valueOrThrow(loadSequenceExperiment(m_run)) : given;
  }

  /// Of another process than the first. Nothing where the run's own settings are all there is.
  std::optional<SequenceExperiment> ownSettings() {
    requireRun();
    if (m_resume && m_config.empty()) {
      m_together.task = {{"resume", true}};
      return std::nullopt;
    }
    SequenceExperiment given = described();
    m_together.task = m_resume ? Json{{"resume", true}} : sharedTask(given);
    return given;
  }

  /// The config, or the run's own, then what the command line says over it. Checked as one.
  SequenceExperiment described() const {
    if (m_resume && m_config.empty() && m_flags.empty())
      return valueOrThrow(loadSequenceExperiment(m_run));
    if (m_config.empty() && m_flags.empty())
      refuseUsage("sequence train", tr("needs a CONFIG, such as those in models/presets"));
    Json json = Json::object();
    if (!m_config.empty()) {
      const auto config = hereOrInstalled(m_config);
      const std::string text = valueOrThrow(readFile(config, kMaxSequenceConfigBytes));
      json = valueOrThrow(parseConfigJson(text, m_config));
      // Valid with the flags is enough, but flags need an object to go into.
      if (!json.is_object()) return valueOrThrow(sequenceFromText(text, m_config));
    } else if (m_resume) {
      json = sequenceToJson(valueOrThrow(loadSequenceExperiment(m_run)));
    }
    m_flags.apply(json);
    return valueOrThrow(
        sequenceFromText(jsonText(json), m_config.empty() ? "command line" : m_config));
  }

  static void notify(const SequenceReading& reading, const SequenceExperiment& experiment,
                     ProgressBar& bar, Terminal& terminal) {
    char line[160];
    if (reading.validating) {
      std::snprintf(line, sizeof line, "step %lld/%lld  validating",
                    static_cast<long long>(reading.step), static_cast<long long>(reading.steps));
      bar.show({line, std::llround(reading.validationFraction * 1000), 1000, -1});
      return;
    }
    if (terminal.json()) {
      terminal.printJson(readingJson(reading));
    } else if (reading.validationBits) {
      std::snprintf(line, sizeof line, "step %lld/%lld  train %.4f  validation %.4f %s",
                    static_cast<long long>(reading.step), static_cast<long long>(reading.steps),
                    reading.trainBits, *reading.validationBits, experiment.unit());
      terminal.print(line + paceText(reading));
    }
    std::snprintf(line, sizeof line, "step %lld/%lld  %.3f %s",
                  static_cast<long long>(reading.step), static_cast<long long>(reading.steps),
                  reading.trainBits, experiment.unit());
    bar.show({line + paceText(reading), reading.step, reading.steps, reading.secondsLeft});
  }

  int report(const SequenceOutcome& outcome, const SequenceExperiment& experiment,
             Terminal& terminal) const {
    if (terminal.json()) {
      terminal.printJson(Json{{"event", outcome.finished ? "finished" : "stopped"},
                              {"steps", outcome.steps},
                              {"best_bits", outcome.bestBits ? Json(*outcome.bestBits) : Json()},
                              {"unit", experiment.unit()},
                              {"run", m_run},
                              {"last", outcome.last.string()},
                              {"best", outcome.best.string()}});
    } else if (outcome.finished) {
      char line[96];
      std::snprintf(line, sizeof line, tr("finished: %lld steps, best validation %.4f %s"),
                    static_cast<long long>(outcome.steps), outcome.bestBits.value_or(0.0),
                    experiment.unit());
      terminal.print(line);
      terminal.print("weights: " + outcome.best.string() + " (best), " + outcome.last.string() +
                     " (last)");
    }
    if (outcome.finished) return kExitOk;
    throw Failure(
        {ErrorCode::Canceled,
         tr("stopped after ") + std::to_string(outcome.steps) +
             tr(" steps, checkpoint written; resume with: headlight-cli sequence train --run ") +
             m_run + " --resume",
         ""});
  }

  std::string m_config, m_run;
  bool m_resume = false, m_resumeOrStart = false, m_resumed = false, m_json = false;
  DistributedContext m_together;
  ParameterFlags m_flags{sequenceSections(), overrideSequenceParameter};
};

}  // namespace

std::unique_ptr<Command> makeSequenceTrainCommand() {
  return std::make_unique<SequenceTrainCommand>();
}

}  // namespace headlight::cli
