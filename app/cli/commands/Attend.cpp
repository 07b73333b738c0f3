// attend: where every head looks, as pictures and as arrays.

#include <filesystem>
#include <set>

#include "app/cli/AttendPictures.h"
#include "app/cli/AttendWays.h"
#include "app/cli/Command.h"
#include "app/cli/ExitCodes.h"
#include "app/cli/Inputs.h"
#include "app/cli/MapInputs.h"
#include "app/cli/ModelOptions.h"
#include "app/cli/StyleOptions.h"
#include "core/base/Files.h"
#include "core/base/OutputTarget.h"
#include "core/workbench/RawTensors.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

HeadFusion fusionFromName(const std::string& name) {
  if (name == "mean") return HeadFusion::Mean;
  if (name == "max") return HeadFusion::Max;
  if (name == "min") return HeadFusion::Min;
  refuseUsage("--fusion", name + " is not known; give mean, max or min");
}

class AttendCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "attend", "Where every head looks: pictures of maps and rollout, and the arrays");
    command
        ->add_option("images", m_images,
                     "Pictures, or folders of them; or, without a model, a file of maps "
                     "(attention.L), all of it or one picture: FILE[2]")
        ->type_name("FILE");
    command
        ->add_option("--tensor", m_tensor,
                     "Instead of pictures: a safetensors file with `input` [B,3,H,W], "
                     "normalised; needs --output")
        ->type_name("FILE");
    command
        ->add_option("-o,--output", m_output,
                     "Write `logits`, `attention.L` [B,H,T,T] and `rollout` [B,N] to this "
                     "safetensors file, - for standard output; with --show NAME also `NAME.L` "
                     "[H,rows,cols] at the token, or what another way of looking gives")
        ->type_name("FILE");
    command
        ->add_option("-p,--pictures", m_folder,
                     "Folder for the PNG files; default: the folder attention below the current "
                     "one, or none where --output is given")
        ->type_name("FOLDER");
    command->add_flag("--json", m_json, "The result as one JSON object");
    declareLooks(*command);
    m_model.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    prepareOutput("--output", m_output, terminal);
    m_session = m_maps ? openMaps(m_maps->file, m_model, terminal) : m_model.open(terminal);
    m_masks = m_model.masksFor(m_session->info());
    m_query = queryFromText(m_queryText, m_session->info().grid);
    choose();
    checkCell();
    const int exitCode = isWay()            ? lookInAnotherWay(terminal, stop)
                         : m_tensor.empty() ? attendPictures(terminal, stop)
                                            : attendTensor(stop);
    if (!m_output.empty()) {
      if (m_shown) m_more = learnedArrays(*m_shown, m_query, m_session->info().grid);
      valueOrThrow(writeRawLooks(m_output, m_looks, m_rollouts, m_more));
      if (!terminal.json())
        terminal.print(m_output == kStandardOutput ? "standard output" : m_output);
    }
    const ModelInfo& info = m_session->info();
    const SoftAlphas alphas = valueOrThrow(m_session->softAlphas(m_masks));
    if (!terminal.json()) printAlphas(alphas, "", terminal);
    if (terminal.json())
      terminal.printJson(
          Json{{"model", modelJson(info, m_masks)},
               {"query", m_query.text},
               {"show", m_show},
               {"map", m_shown ? m_shown->maps.meaning : info.mapMeaning},
               {"alpha", alphas},  // NaN (not soft) becomes null
               {"output", m_output.empty() ? Json(nullptr) : Json(m_output)},
               {"folder", m_folder.empty() ? Json(nullptr) : Json(wholePath(m_folder))},
               {"results", m_results}});
    return exitCode;
  }

 private:
  void declareLooks(CLI::App& command) {
    const char* group = "Maps";
    const auto text = [&](const char* flag, std::string& target, const char* help) {
      command.add_option(flag, target, help)->type_name("TEXT")->group(group);
    };
    text("--query", m_queryText,
         "The token that looks: class, distillation, a patch index, or row,column; default: class, "
         "or the middle patch where there is no class token");
    text(
        "--show", m_show,
        "attention; relevance, attention-gradient or grad-cam of a class; similarity with --query; "
        "features as colours, of all pictures together; depth; faithfulness of heatmaps; or by its "
        "name what the mechanism has learned for every picture alike (another name lists them); "
        "default attention");
    text("--class", m_classText,
         "With --show of a class: its index or name; default: the one that is predicted");
    command
        .add_flag("--foreground", m_foreground,
                  "With --show features: colours of the foreground alone")
        ->group(group);
    command
        .add_option(
            "--layer", m_layer,
            "Also single overlays of this layer's heads, from 0; with --show of another way "
            "of looking that layer, default: the last")
        ->type_name("INT")
        ->group(group);
    command
        .add_option("--head", m_head,
                    "Also single overlays of this head in every layer, or in --layer, from 0")
        ->type_name("INT")
        ->group(group);
    text("--fusion", m_fusion, "Rollout: heads fused by mean, max or min; default mean");
    command
        .add_option("--discard", m_rollout.discardRatio,
                    "Rollout: share of the lowest entries dropped, in [0, 1); default 0")
        ->type_name("NUM")
        ->group(group);
    m_styleOptions.declare(command, m_style, group);
    command.add_flag("--shared-scale", m_style.sharedScale, "One colour scale for all heads")
        ->group(group);
    command.add_option("--tile", m_style.tile, "Pixels of a tile of the grid; default 112")
        ->type_name("INT")
        ->check(CLI::Range(16, 1024).description(""))
        ->group(group);
  }

  /// What can be said before the model is loaded.
  void check() {
    if (m_images.empty() == m_tensor.empty())
      refuseUsage("attend", "takes pictures or --tensor FILE, one of them");
    if (!m_tensor.empty() && m_output.empty())
      refuseUsage("--tensor", "needs --output FILE: there is no picture to draw on");
    if (!m_tensor.empty() && !m_folder.empty())
      refuseUsage("--pictures", "cannot be drawn from a tensor; give the picture itself");
    if (m_folder.empty() && m_output.empty()) m_folder = "attention";
    if (!(m_rollout.discardRatio >= 0 && m_rollout.discardRatio < 1))
      refuseUsage("--discard", "must be at least 0 and below 1");
    m_rollout.fusion = fusionFromName(m_fusion);
    m_styleOptions.apply(m_style);
    m_maps = mapInput(m_images, m_model, "attend");
    if (m_maps && isWay()) throw Failure(needsModel(m_maps->file.string()));
    if (m_maps) return;
    m_model.require();
    m_pictures = expandPictures(m_images);
  }

  bool isWay() const { return wayFromName(m_show) || m_show == kFaithfulness; }

  void choose() {
    if (isWay()) {
      m_style.style = styleOf(m_style.style, /*learned=*/false);
      return;
    }
    if (!m_classText.empty())
      refuseUsage("--class", "needs --show of a class: relevance, grad-cam");
    if (m_foreground) refuseUsage("--foreground", "needs --show features");
    m_learned = valueOrThrow(m_session->learnedMaps());
    m_shown = learnedFromName(m_show, m_learned);
    m_style.style = styleOf(m_style.style, /*learned=*/m_shown != nullptr);
  }

  void checkCell() const {
    const auto& heads = m_session->info().heads;
    const int layers = static_cast<int>(heads.size());
    if (m_layer && (*m_layer < 0 || *m_layer >= layers))
      refuseUsage("--layer", "must be from 0 to " + std::to_string(layers - 1) +
                                 ": the model has " + std::to_string(layers) + " layers");
    const int most = m_layer ? heads[*m_layer] : *std::max_element(heads.begin(), heads.end());
    if (m_head && (*m_head < 0 || *m_head >= most))
      refuseUsage("--head", "must be from 0 to " + std::to_string(most - 1) + ": there are " +
                                std::to_string(most) + " heads");
  }

  WayJob wayJob() const {
    WayJob job{*m_session, m_masks, m_show, m_query};
    if (!m_classText.empty())
      job.options.classIndex = valueOrThrow(classFromText(m_classText, m_session->info()));
    job.options.layer = m_layer.value_or(-1);
    job.foreground = m_foreground;
    job.rollout = m_rollout;
    job.style = m_style;
    job.folder = m_folder;
    job.keepArrays = !m_output.empty();
    return job;
  }

  int lookInAnotherWay(Terminal& terminal, std::stop_token stop) {
    AttendWays ways(wayJob(), terminal, stop);
    int exitCode = kExitOk;
    if (!m_tensor.empty()) {
      const RawImages images = valueOrThrow(readRawImages(m_tensor));
      for (std::int64_t i = 0; i < images.count; ++i)
        ways.addNumbers(m_tensor + "[" + std::to_string(i) + "]", rawPicture(images, i));
    } else {
      if (!m_folder.empty()) {
        makeOutputFolder(m_folder);
        terminal.note("pictures go to " + wholePath(m_folder));
      }
      exitCode = forEachPicture(
          m_pictures, !m_output.empty(), terminal,
          [&](const fs::path& path, const Image& image) { ways.addPicture(path, image); });
    }
    ways.finish();
    m_results = ways.results();
    m_looks = ways.looks();
    m_more = ways.arrays();
    return exitCode;
  }

  int attendTensor(std::stop_token stop) {
    const RawImages images = valueOrThrow(readRawImages(m_tensor));
    for (auto& look : valueOrThrow(lookAtRaw(*m_session, images, m_masks, true, stop))) {
      m_rollouts.push_back(valueOrThrow(rollout(look.maps, m_rollout)));
      m_results.push_back({{"image", m_tensor + "[" + std::to_string(m_looks.size()) + "]"},
                           {"files", Json::array()}});
      m_looks.push_back(std::move(look));
    }
    return kExitOk;
  }

  int attendPictures(Terminal& terminal, std::stop_token stop) {
    if (!m_folder.empty()) {
      makeOutputFolder(m_folder);
      terminal.note("pictures go to " + wholePath(m_folder));
    }
    const auto one = [&](const fs::path& path, const Image& image) {
      auto look = m_session->look(image, m_masks, {}, stop);
      if (stop.stop_requested())
        throw Failure({ErrorCode::Canceled, "stopped; pictures that were written stay", ""});
      attend(path, valueOrThrow(std::move(look)), terminal);
    };
    if (!m_maps) return forEachPicture(m_pictures, !m_output.empty(), terminal, one);
    forEachMapPicture(*m_maps, *m_session, one);
    return kExitOk;
  }

  void attend(const fs::path& path, Look look, Terminal& terminal) {
    std::vector<float> rolled = valueOrThrow(rollout(look.maps, m_rollout));
    Json files = Json::array();
    if (!m_folder.empty()) files = draw(path, look, rolled, terminal);
    m_results.push_back({{"image", path.string()},
                         {"files", files},
                         {"top", topJson(look.top)},
                         {"locality", look.locality}});
    if (m_output.empty()) return;
    m_looks.push_back({std::move(look.logits), {}, std::move(look.maps)});
    m_rollouts.push_back(std::move(rolled));
  }

  /// Writes the pictures of one image and returns their paths.
  Json draw(const fs::path& path, const Look& look, const std::vector<float>& rolled,
            Terminal& terminal) {
    const std::string name = path.filename().string();
    const std::string stem = unusedStem(m_stems, pictureFile(path));
    const Scene scene{name, look, m_masks, m_session->info(), m_shown};
    const std::string shown = m_shown ? "-" + m_show : "";
    Json files = Json::array();
    const auto save = [&](const Image& picture, const std::string& suffix) {
      const fs::path file = fs::path(m_folder) / (stem + suffix + ".png");
      const std::string png = valueOrThrow(encodePng(picture, {{"Software", "Headlight"}}));
      valueOrThrow(writeFileAtomically(file, png));
      files.push_back(file.string());
      if (!terminal.json()) terminal.print(file.string());
    };
    save(gridPicture(scene, m_query, m_style), shown + "-grid");
    if (!m_shown) save(rolloutPicture(scene, rolled, rolloutText(), m_style), "-rollout");
    if (!m_layer && !m_head) return files;
    for (int l = 0; l < static_cast<int>(look.maps.layers.size()); ++l)
      for (int h = 0; h < look.maps.layers[l].heads; ++h)
        if (l == m_layer.value_or(l) && h == m_head.value_or(h))
          if (const auto picture = headPicture(scene, l, h, m_query, m_style))
            save(*picture, shown + "-layer" + std::to_string(l) + "-head" + std::to_string(h));
    return files;
  }

  std::string rolloutText() const {
    char discard[48];
    std::snprintf(discard, sizeof discard, ", lowest %.3g dropped", m_rollout.discardRatio);
    return "heads fused by " + m_fusion + discard;
  }

  std::vector<std::string> m_images;
  std::string m_tensor, m_output, m_folder, m_queryText;
  std::string m_fusion = "mean", m_show = "attention", m_classText;
  bool m_foreground = false;
  std::optional<int> m_layer, m_head;
  bool m_json = false;
  PictureStyle m_style;
  StyleOptions m_styleOptions;
  RolloutOptions m_rollout;
  ModelOptions m_model;

  std::optional<MapInput> m_maps;  ///< in place of pictures and a model
  std::vector<fs::path> m_pictures;
  std::unique_ptr<InferenceSession> m_session;
  MaskScheme m_masks;
  Query m_query;
  std::vector<LearnedMap> m_learned;
  const LearnedMap* m_shown = nullptr;  ///< in m_learned; null: attention
  std::set<std::string> m_stems;
  Json m_results = Json::array();
  std::vector<RawLook> m_looks;
  std::vector<std::vector<float>> m_rollouts;
  std::vector<RawArray> m_more;
};

}  // namespace

std::unique_ptr<Command> makeAttendCommand() {
  return std::make_unique<AttendCommand>();
}

}  // namespace headlight::cli
