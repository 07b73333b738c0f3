// train: a config, headless; or a run that goes on.

#include <filesystem>

#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/ModelOptions.h"
#include "app/cli/ParameterFlags.h"
#include "app/cli/RecipeList.h"
#include "app/cli/Signals.h"
#include "app/cli/TrainingReporter.h"
#include "core/base/Files.h"
#include "core/config/ConfigPaths.h"
#include "core/config/ConfigText.h"
#include "core/config/Recipes.h"
#include "core/models/Registry.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxConfigBytes = 16u << 20;

/// runs/NAME, or runs/NAME-2 … where that is taken.
fs::path freshRunFolder(std::string name) {
  for (char& letter : name)
    if (letter == '/' || letter == '\\' || static_cast<unsigned char>(letter) < ' ') letter = '_';
  if (name.empty() || name[0] == '.') name = "run" + name;
  fs::path folder = fs::path("runs") / name;
  std::error_code unknown;  // then making it says what is wrong
  for (int n = 2; fs::exists(folder, unknown); ++n)
    folder = fs::path("runs") / (name + "-" + std::to_string(n));
  return folder;
}

class TrainCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("train", "Train as a config says, or go on with a run");
    command
        ->add_option("config", m_config,
                     "An Experiment: exported by the window, or written by hand")
        ->type_name("CONFIG");
    command
        ->add_option("--resume", m_resume,
                     "Go on with the run in this folder, exactly as if never interrupted; takes "
                     "no config and no parameters")
        ->type_name("RUN");
    command
        ->add_option("--run", m_run,
                     "Folder of the run: config, metrics.csv, metrics.jsonl, checkpoints; "
                     "default runs/NAME, numbered where that exists")
        ->type_name("FOLDER");
    command
        ->add_option("-m,--model", m_model,
                     "Use this model's shape in place of the config's: a published name or a "
                     "config")
        ->type_name("NAME|FILE");
    command->add_option("-w,--weights", m_weights, "Start from this checkpoint")->type_name("FILE");
    command
        ->add_option(
            "--masks", m_masks,
            "Where heads may look: none, sch1, sch2, sch3, mixed36, hmait (sch2:5 for windows "
            "of 5), or a JSON file")
        ->type_name("NAME|FILE");
    command->add_flag("--resume-or-start", m_resumeOrStart,
                      "Go on with the run in --run where there is one, as it began, else start it: "
                      "for jobs that are started again by themselves");
    command->add_option("--recipe", m_recipe, recipeHelp())->type_name("NAME");
    command->add_flag("--json", m_json,
                      "One JSON object a line: step, heads, edit and epoch events as they happen, "
                      "and finished or stopped at the end");
    command->footer(
        "Every parameter of the Experiment is a flag, in the groups above.\n"
        "Ctrl+C writes a checkpoint and exits with 130; --resume goes on from there. A second\n"
        "Ctrl+C does not wait. A run that was killed goes on from its last checkpoint.\n"
        "Under torchrun, mpirun and srun the processes train one run together: every step's\n"
        "images are shared out among them, and process 0 writes and speaks.");
    m_flags.declare(*command, {"", "model", "masks", "data", "training", "telemetry"});
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    surviveClosedPipes();
    m_together.launch = valueOrThrow(launchOfThisProcess());
    const bool resumes = !m_resume.empty() || (m_resumeOrStart && holdsRun(m_run));
    auto session = open(resumes);
    terminal.note((resumes ? "going on with " : "training ") + session->experiment().name + " in " +
                  session->folder().string() + companyText());
    if (terminal.json())
      terminal.printJson(Json{{"event", "begin"},
                              {"run", session->folder().string()},
                              {"resumed", resumes},
                              {"processes", m_together.launch.count}});
    auto outcome = [&] {
      const TrainingReporter reporter(*session, terminal);
      return session->run(stop);
    }();
    if (!outcome && m_together.launch.rank > 0) terminal.silence(!session->speaks());
    return report(valueOrThrow(std::move(outcome)), session->folder(), terminal);
  }

 private:
  std::string companyText() const {
    const Launch& launch = m_together.launch;
    return launch.alone()
               ? ""
               : ", " + std::to_string(launch.count) + " processes by " + launch.launcher;
  }

  static bool holdsRun(const fs::path& folder) {
    std::error_code unknown;
    return fs::exists(folder / "config.json", unknown) ||
           fs::exists(folder / "last.safetensors", unknown);
  }

  /// Process 0 begins or resumes; the others join it. Where it cannot, they get to know.
  std::unique_ptr<TrainingSession> open(bool resumes) {
    requireFolderToResume();
    const bool first = m_together.launch.rank == 0;
    auto outcome = guarded("", [&]() -> std::unique_ptr<TrainingSession> {
      if (!m_resume.empty()) {
        m_together.task = {{"resume", true}};
        return first ? resume() : join(std::nullopt);
      }
      const Experiment experiment = described();
      m_together.task = taskOf(experiment);
      if (!first) return join(experiment);
      return resumes ? resumeIn(m_run) : begin(experiment);
    });
    return valueOrThrow(std::move(outcome));
  }

  void requireFolderToResume() const {
    if (m_resumeOrStart && m_run.empty())
      refuseUsage("--resume-or-start", "needs --run FOLDER, where the run is or will be");
  }

  std::unique_ptr<TrainingSession> join(const std::optional<Experiment>& own) const {
    return valueOrThrow(TrainingSession::join(own, m_together));
  }
  std::unique_ptr<TrainingSession> resumeIn(const fs::path& folder) const {
    return valueOrThrow(TrainingSession::resume(folder, m_together));
  }

  std::unique_ptr<TrainingSession> resume() const {
    const bool more = !m_config.empty() || !m_run.empty() || !m_model.empty() ||
                      !m_weights.empty() || !m_masks.empty() || !m_recipe.empty() ||
                      m_resumeOrStart || !m_flags.empty();
    if (more)
      refuseUsage("--resume",
                  "goes on exactly as the run began and takes nothing else; to change "
                  "something start a new run with --weights RUN/last.safetensors");
    return resumeIn(m_resume);
  }

  Experiment described() const {
    if (m_config.empty() && m_model.empty() && m_flags.empty())
      refuseUsage("train", "needs a CONFIG, or --resume RUN, or at least --model NAME");
    return describe();
  }

  std::unique_ptr<TrainingSession> begin(const Experiment& experiment) const {
    const fs::path folder = m_run.empty() ? freshRunFolder(experiment.name) : fs::path(m_run);
    return valueOrThrow(TrainingSession::begin(experiment, folder, m_together));
  }

  /// The config, then what the command line says over it. Checked as one.
  Experiment describe() const {
    Json json = Json::object();
    if (!m_config.empty()) {
      const std::string text = valueOrThrow(readFile(m_config, kMaxConfigBytes));
      json = valueOrThrow(parseConfigJson(text, m_config));
      // Flags need an object to go into; the reader says what this is.
      if (!json.is_object())
        return valueOrThrow(experimentFromText(text, m_config, modelCatalogue()));
      findPathsBeside(json, fs::absolute(m_config).parent_path());
    }
    if (!m_model.empty()) replaceModel(json);
    if (!m_weights.empty()) json["training"]["weights"] = m_weights;
    if (!m_recipe.empty()) valueOrThrow(applyRecipe(json, m_recipe));
    m_flags.apply(json);
    Experiment experiment = valueOrThrow(experimentFromText(
        jsonText(json), m_config.empty() ? "command line" : m_config, modelCatalogue()));
    if (!m_masks.empty())
      experiment.masks = describeMasks(masksFromOption(m_masks, maskShapeOf(experiment.model)));
    return experiment;
  }

  void replaceModel(Json& json) const {
    const Json named = experimentToJson(experimentByName(m_model));
    json["model"] = named["model"];
    // Cells are of the config's own model.
    if (json.contains("masks") && json["masks"].is_object()) json["masks"].erase("cells");
    if (!json.contains("name")) json["name"] = named["name"];
  }

  int report(const TrainingOutcome& outcome, const fs::path& folder, Terminal& terminal) const {
    const bool finished = outcome.state == TrainingState::Finished;
    if (terminal.json()) {
      terminal.printJson(Json{{"event", finished ? "finished" : "stopped"},
                              {"steps", outcome.steps},
                              {"best_top1", outcome.bestTop1},
                              {"run", folder.string()},
                              {"last", outcome.last.string()},
                              {"best", outcome.best.string()}});
    } else if (finished) {
      char line[80];
      std::snprintf(line, sizeof line, "finished: %lld steps, best top-1 %.2f %%",
                    static_cast<long long>(outcome.steps), 100 * outcome.bestTop1);
      terminal.print(line);
      terminal.print("weights: " + outcome.best.string() + " (best), " + outcome.last.string() +
                     " (last)");
    }
    if (finished) return kExitOk;
    throw Failure({ErrorCode::Canceled,
                   "stopped after " + std::to_string(outcome.steps) +
                       " steps, checkpoint written; go on with: headlight-cli train --resume " +
                       folder.string(),
                   ""});
  }

  std::string m_config, m_resume, m_run, m_model, m_weights, m_masks, m_recipe;
  bool m_json = false, m_resumeOrStart = false;
  Together m_together;
  ParameterFlags m_flags;
};

}  // namespace

std::unique_ptr<Command> makeTrainCommand() {
  return std::make_unique<TrainCommand>();
}

}  // namespace headlight::cli
