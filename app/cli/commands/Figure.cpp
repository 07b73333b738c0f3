// SPDX-License-Identifier: GPL-3.0-or-later

// figure: a page of images × heads or methods for a paper, from flags or from a description.

#include <algorithm>

#include "app/cli/options/Inputs.h"
#include "app/cli/options/KnownBoxes.h"
#include "app/cli/options/MapInputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/TableFlags.h"
#include "app/cli/reports/SegmentText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/figures/PageDrawing.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

/// Files, what is in folders, and every image of files of maps.
std::vector<PageImage> pageImages(const std::vector<std::string>& arguments) {
  std::vector<PageImage> images;
  for (const std::string& argument : arguments) {
    const auto maps = mapInput(argument);
    if (!maps) {
      for (const fs::path& path : expandImages({argument}))
        images.push_back({path.string(), ""});
      continue;
    }
    const int first = maps->image.value_or(0);
    const int last = maps->image ? first : valueOrThrow(countMapImages(maps->file)) - 1;
    for (int i = first; i <= last; ++i)
      images.push_back({MapPlace{maps->file, i}.text(), ""});
  }
  return images;
}

/// "a, b" by commas, as they stand beside the images.
std::vector<std::string> labelList(const std::string& text) {
  std::vector<std::string> labels;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string label = text.substr(at, comma - at);
    label.erase(0, std::min(label.find_first_not_of(' '), label.size()));
    labels.push_back(std::move(label));
    at = comma + 1;
  }
  return labels;
}

Json tileJson(const FigurePage& page, std::size_t column, const PageRow& row,
              const std::optional<DrawnMap>& drawn) {
  const PageTile& tile = *row.tiles[column];
  Json json{{"shows", toText(page.columns[column])}, {"what", tile.words}};
  if (!tile.className.empty()) json["class"] = tile.className;
  for (const FoundObject& object : tile.objects)
    json["objects"].push_back(
        {{"label", object.name}, {"index", object.index}, {"score", object.score}});
  if (tile.segments) json["segments"] = segmentsJson(*tile.segments);
  if (tile.box) json["object_box"] = *tile.box;
  if (const PageMatch& match = row.matches[column]; !match.text.empty())
    json.update({{"iou", match.overlap}, {"match", match.text}});
  if (!drawn) return json;
  json["range"] = {drawn->range.low, drawn->range.high};
  json["colormap"] = colorMapName(drawn->colorMap);
  return json;
}

Json pageResult(const FigurePage& page, const PageContent& inference) {
  const PageScales scales = pageScales(page, inference);
  Json images = Json::array();
  for (std::size_t r = 0; r < inference.rows.size(); ++r) {
    Json tiles = Json::array();
    for (std::size_t c = 0; c < page.columns.size(); ++c)
      tiles.push_back(tileJson(page, c, inference.rows[r], scales[r][c]));
    images.push_back({{"image", inference.rows[r].path},
                      {"label", imageLabel(page, inference, r)},
                      {"top", topJson(inference.rows[r].top)},
                      {"tiles", tiles}});
  }
  Json headings = Json::array();
  for (std::size_t c = 0; c < page.columns.size(); ++c)
    headings.push_back(columnHeading(page, inference, c));
  return {{"headings", headings}, {"caption", pageCaption(page, inference)}, {"results", images}};
}

class FigureCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand("figure", tr("Write a figure page of images with attention "
                                                    "maps and explanations, as PDF, SVG or PNG"));
    command
        ->add_option("images", m_arguments,
                     tr("Images, image folders or map files. A page description (.json) may come "
                        "first; the images then replace its own"))
        ->type_name("FILE");
    const auto text = [&](const char* flag, std::string& target, const std::string& help) {
      command->add_option(flag, target, help)->type_name("TEXT");
    };
    text(
        "--columns", m_columns,
        tr("What to show for each image, separated by commas: ") + joined(pageColumnWords()) +
            tr(". In brackets, separated by semicolons: query, class, layer, foreground, label; "
               "such as \"image, head 3.1 (query 2,4), grad-cam (class tabby; layer 5)\". Default: "
               "image, the last layer's mean, rollout, relevance"));
    text("--labels", m_labels, tr("Labels of the images, separated by commas"));
    command
        ->add_option("-o,--output", m_output, tr("Write the page to this .pdf, .svg or .png file"))
        ->type_name("FILE");
    command
        ->add_option("--truth", m_truth,
                     tr("The true boxes of these images, COCO's folder or annotations, or Pascal "
                        "VOC's folder; adds their IoU with the boxes of lost, tokencut and "
                        "dino-mask"))
        ->type_name("PATH");
    command
        ->add_option("--save-page", m_save,
                     tr("Write the page description as JSON, which recreates the same page"))
        ->type_name("FILE");
    command->add_flag("--json", m_json,
                      tr("Print the result as one JSON object, with the range of every tile"));
    m_model.declare(*command);
    m_flags.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    readArguments();
    if (!m_truth.empty()) m_truths.open(m_truth);
    const auto session = open(terminal);
    const MaskScheme masks = m_model.masks.empty()
                                 ? valueOrThrow(masksOfPage(m_page, session->info()))
                                 : m_model.masksFor(session->info());
    fillColumns(session->info());
    setLabels();
    PageEvaluationOptions looking;
    looking.stop = stop;
    ProgressBar bar(terminal);
    looking.progress = bar.callback();
    looking.truth = [this](const std::string& path) { return m_truths.of(path); };
    const PageContent inference = valueOrThrow(evaluatePage(*session, masks, m_page, looking));
    terminal.setStatus("");
    valueOrThrow(writePage(m_output, m_page, inference, {{"Software", "Headlight"}}));
    if (!terminal.json()) terminal.print(m_output);
    if (!m_save.empty()) savePage(session->info(), masks, terminal);
    if (!terminal.json()) return kExitOk;
    Json result{{"file", m_output}, {"model", modelJson(session->info(), masks)}};
    result.update(pageResult(m_page, inference));
    terminal.printJson(result);
    return kExitOk;
  }

 private:
  void readArguments() {
    if (!m_arguments.empty() && fs::path(m_arguments.front()).extension() == ".json") {
      m_page = valueOrThrow(readFigurePage(m_arguments.front()));
      m_arguments.erase(m_arguments.begin());
    }
    if (m_output.empty()) refuseUsage("--output", tr("is missing; give a .pdf, .svg or .png file"));
    valueOrThrow(checkPageName(m_output));
    if (!m_arguments.empty()) m_page.images = pageImages(m_arguments);
    if (m_page.images.empty())
      refuseUsage("figure", tr("needs images, or a page description that names some"));
    if (!m_columns.empty()) {
      auto columns = pageColumnsFromText(m_columns);
      if (!columns) refuseUsage("--columns", columns.error().text());
      m_page.columns = std::move(*columns);
    }
    m_flags.read(&m_page.options);
  }

  /// Flags stand in for the page's model, part by part.
  std::unique_ptr<InferenceSession> open(Terminal& terminal) {
    ModelSource& given = m_model.source;
    if (!given.model.empty() || !given.weights.empty())
      m_page.model = {given.model, given.weights.string(), "", false, {}, {}};
    if (m_model.hasPrompts()) m_page.model.prompts = m_model.completeSource().prompts;
    if (!given.classNames.empty()) m_page.model.classNames = given.classNames.string();
    m_page.model.partial = m_page.model.partial || given.partial;
    const PageModel& model = m_page.model;
    const bool plain = model.experiment.is_null() && !(model.name.empty() && model.weights.empty());
    if (!plain) {
      auto session = valueOrThrow(openPageModel(m_page));
      sayHowItOpened(session->info(), terminal);
      return session;
    }
    given.model = model.name;
    given.weights = model.weights;
    given.classNames = model.classNames;
    given.prompts = model.prompts;
    given.partial = model.partial;
    auto session = valueOrThrow(InferenceSession::open(m_model.completeSource()));
    sayHowItOpened(session->info(), terminal);
    return session;
  }

  void fillColumns(const ModelInfo& info) {
    if (!m_page.columns.empty()) return;
    m_page.columns = usefulColumns(info, static_cast<int>(info.heads.size()) - 1, -1);
  }

  void setLabels() {
    if (m_labels.empty()) return;
    const std::vector<std::string> labels = labelList(m_labels);
    if (labels.size() != m_page.images.size())
      refuseUsage("--labels", tr("has ") + std::to_string(labels.size()) +
                                  tr("; give one for each image: ") +
                                  std::to_string(m_page.images.size()));
    for (std::size_t i = 0; i < labels.size(); ++i)
      m_page.images[i].label = labels[i];
  }

  /// What a name alone would not bring back stands in the description whole.
  void savePage(const ModelInfo& info, const MaskScheme& masks, Terminal& terminal) {
    if (!info.isPrecomputed && (!m_model.masks.empty() || !m_model.imageSize.empty())) {
      Experiment experiment = info.experiment;
      experiment.masks = describeMasks(masks);
      m_page.model.experiment = experimentToJson(experiment);
    }
    valueOrThrow(writeFileAtomically(m_save, pageToText(m_page)));
    if (!terminal.json()) terminal.print(m_save);
  }

  std::vector<std::string> m_arguments;
  std::string m_columns, m_labels, m_output, m_save, m_truth;
  bool m_json = false;
  ModelOptions m_model;
  KnownBoxes m_truths;
  TableFlags m_flags{pageParameters(), "Page"};
  FigurePage m_page;
};

}  // namespace

std::unique_ptr<Command> makeFigureCommand() {
  return std::make_unique<FigureCommand>();
}

}  // namespace headlight::cli
