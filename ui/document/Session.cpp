// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/Session.h"

#include <limits>

#include "core/config/ConfigText.h"
#include "core/models/Registry.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/loading/Input.h"
#include "ui/document/LayoutBytes.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxSessionBytes = 32u << 20;
constexpr std::size_t kMaxGalleryEntries = 10'000;
constexpr std::size_t kMaxWorkspaces = 64;

Error invalid(const std::string& message, const std::string& path) {
  return {ErrorCode::InvalidConfig, message, path};
}

void fail(const std::string& message, const std::string& path) {
  throw Failure(invalid(message, path));
}

std::string textAt(const Json& json, const char* key, const std::string& path) {
  if (!json.contains(key)) return {};
  if (!json[key].is_string()) fail("must be a string", path + key);
  return json[key].get<std::string>();
}

QString stringAt(const Json& json, const char* key, const std::string& path) {
  return QString::fromStdString(textAt(json, key, path));
}

const Json& objectAt(const Json& json, const char* key) {
  static const Json empty = Json::object();
  if (!json.contains(key)) return empty;
  if (!json[key].is_object()) fail("must be an object", key);
  return json[key];
}

void readWhole(const Json& json, const char* key, int least, int& value) {
  if (!json.contains(key)) return;
  const Json& item = json[key];
  if (!item.is_number_integer() || item < least || item > std::numeric_limits<int>::max())
    fail("must be a whole number, at least " + std::to_string(least), std::string("view.") + key);
  value = item.get<int>();
}

void readShare(const Json& json, const char* key, double& value) {
  if (!json.contains(key)) return;
  if (!json[key].is_number() || !(json[key] >= 0.0 && json[key] <= 1.0))
    fail("must be a number from 0 to 1", std::string("view.") + key);
  value = json[key].get<double>();
}

void readFlag(const Json& json, const char* key, const std::string& path, bool& value) {
  if (!json.contains(key)) return;
  if (!json[key].is_boolean()) fail("must be true or false", path + key);
  value = json[key].get<bool>();
}

HeadFusion fusionFrom(const std::string& name) {
  const auto fusion = headFusionFromName(name);
  if (!fusion) fail("must be mean, max or min", "view.rollout_fusion");
  return *fusion;
}

ViewOptions readView(const Json& json, ViewOptions view) {
  if (!json.is_object()) fail("must be an object", "view");
  readWhole(json, "layer", 0, view.layer);
  readWhole(json, "head", -1, view.head);
  readWhole(json, "query", 0, view.query);
  if (const auto name = textAt(json, "style", "view."); !name.empty())
    view.style = valueOrThrow(mapStyleFromName(name));
  readShare(json, "dim", view.dim);
  readShare(json, "opacity", view.opacity);
  readFlag(json, "smooth", "view.", view.smooth);
  readFlag(json, "shared_range", "view.", view.sharedRange);
  readFlag(json, "step_scale", "view.", view.stepScale);
  readFlag(json, "overlay", "view.", view.showOverlay);
  readFlag(json, "mask_outline", "view.", view.maskOutline);
  readFlag(json, "object_boxes", "view.", view.objectBoxes);
  readShare(json, "object_threshold", view.objectThreshold);
  readFlag(json, "true_boxes", "view.", view.trueBoxes);
  readShare(json, "segment_opacity", view.segmentOpacity);
  readWhole(json, "decoder_layer", -1, view.decoderLayer);
  readFlag(json, "paint_on_click", "view.", view.paintsOnClick);
  if (const auto name = textAt(json, "color_map", "view."); !name.empty())
    view.colorMap = valueOrThrow(colorMapFromName(name));
  if (const auto name = textAt(json, "rollout_fusion", "view."); !name.empty())
    view.rollout.fusion = fusionFrom(name);
  readShare(json, "rollout_discard", view.rollout.discardRatio);
  if (json.contains("learned")) view.learned = textAt(json, "learned", "view.");
  if (const auto name = textAt(json, "way", "view."); !name.empty()) {
    const ExplanationInfo* method = explanationFromName(name);
    if (!method) fail("is not an explanation method", "view.way");
    view.method.name = method->name;
  }
  readWhole(json, "way_class", -1, view.method.classIndex);
  readWhole(json, "way_layer", -1, view.method.layer);
  readFlag(json, "way_foreground", "view.", view.method.foreground);
  if (json.contains("way_objects"))
    valueOrThrow(readParameters(objectParameters(), json["way_objects"], &view.method.objects,
                                "view.way_objects"));
  return view;
}

QStringList readGallery(const Json& json) {
  QStringList gallery;
  if (!json.contains("gallery")) return gallery;
  if (!json["gallery"].is_array() || json["gallery"].size() > kMaxGalleryEntries)
    fail("must be a list of at most 10000 paths", "gallery");
  for (const Json& entry : json["gallery"]) {
    if (!entry.is_string()) fail("must be a path", "gallery");
    gallery << QString::fromStdString(entry.get<std::string>());
  }
  return gallery;
}

QByteArray base64At(const Json& json, const char* key, const std::string& path) {
  return QByteArray::fromBase64(QByteArray::fromStdString(textAt(json, key, path)));
}

/// What `read` gives; nothing where it fails, and then `session` says so: a window that stands
/// otherwise is no reason to refuse a session.
template <typename Read>
auto readUnlessDamaged(const QString& what, Session& session, Read read) {
  const auto value = guarded(what.toStdString(), read);
  if (!value) session.damaged << what;
  return value ? std::optional(*value) : std::nullopt;
}

/// Sessions of before have Qt's bytes, which are read as a description is.
std::optional<WindowLayout> readDocks(const QString& workspace, const Json& json,
                                      const std::string& path, Session& session) {
  if (json.contains("layout"))
    return readUnlessDamaged(workspace, session,
                             [&] { return layoutFromJson(json["layout"], path + "layout"); });
  if (!json.contains("docks") || json["docks"] == Json("")) return std::nullopt;
  return readUnlessDamaged(workspace, session, [&] {
    return layoutFromBytes(base64At(json, "docks", path), path + "docks");
  });
}

std::optional<WindowPlace> readPlace(const Json& window, Session& session) {
  const QString what = QStringLiteral("place");
  if (window.contains("place"))
    return readUnlessDamaged(what, session,
                             [&] { return placeFromJson(window["place"], "window.place"); });
  if (!window.contains("geometry") || window["geometry"] == Json("")) return std::nullopt;
  return readUnlessDamaged(what, session, [&] {
    return placeFromBytes(base64At(window, "geometry", "window."), "window.geometry");
  });
}

void readArrangements(const Json& window, Session& session) {
  // Sessions of before there were workspaces had one page.
  if (const QString page = stringAt(window, "tab", "window."); !page.isEmpty())
    session.arrangements[QStringLiteral("look")] = {{}, page};
  if (!window.contains("workspaces")) return;
  if (!window["workspaces"].is_object() || window["workspaces"].size() > kMaxWorkspaces)
    fail("must be an object", "window.workspaces");
  for (const auto& [name, json] : window["workspaces"].items()) {
    if (!json.is_object()) fail("must be an object", "window.workspaces." + name);
    const std::string path = "window.workspaces." + name + ".";
    const QString workspace = QString::fromStdString(name);
    session.arrangements[workspace] = {readDocks(workspace, json, path, session),
                                       stringAt(json, "page", path)};
  }
}

Json arrangementsToJson(const Arrangements& arrangements) {
  Json json = Json::object();
  for (auto item = arrangements.begin(); item != arrangements.end(); ++item) {
    Json& one = json[item.key().toStdString()];
    one = {{"page", item->page.toStdString()}};
    if (item->docks) one["layout"] = layoutToJson(*item->docks);
  }
  return json;
}

Session readSession(const QByteArray& text) {
  const Json json = valueOrThrow(parseConfigJson(
      {text.constData(), static_cast<std::size_t>(text.size())}, "", kMaxSessionBytes));
  if (!json.is_object() || textAt(json, "kind", "") != kSessionKind)
    fail("is not a Headlight session", "kind");
  if (!json.contains("schema") || !json["schema"].is_number_integer() || json["schema"] < 1)
    fail("must be a whole number, at least 1", "schema");
  if (json["schema"] > Session::kSchema)
    fail("is newer than this program reads; update Headlight", "schema");

  Session session;
  session.experiment =
      valueOrThrow(experimentFromJson(objectAt(json, "experiment"), modelCatalog()));
  session.weights = stringAt(json, "weights", "");
  session.prompts = promptsFromJson(json.value("prompts", Json()), "prompts");
  readFlag(json, "partial", "", session.partial);
  const Json& image = objectAt(json, "image");
  session.imagePath = stringAt(image, "path", "image.");
  session.imageName = stringAt(image, "name", "image.");
  session.view = readView(objectAt(json, "view"), {});
  session.gallery = readGallery(json);
  const Json& window = objectAt(json, "window");
  session.theme = stringAt(window, "theme", "window.");
  session.place = readPlace(window, session);
  session.workspace = stringAt(window, "workspace", "window.");
  session.run = stringAt(window, "run", "window.");
  session.figures = stringAt(window, "figures", "window.");
  readArrangements(window, session);
  if (json.contains("compare"))
    session.comparison = valueOrThrow(comparisonFromJson(json["compare"]));
  return session;
}

}  // namespace

Session recordSession(const Document& document) {
  Session session;
  // Maps alone come with their file: what stands in for a model is none that could be built.
  if (document.inputs().canCompute()) session.experiment = document.inputs().model().experiment;
  if (document.inputs().canCompute())
    session.experiment.masks = describeMasks(document.inputs().masks());
  session.weights = QString::fromStdString(document.inputs().model().weights.string());
  session.prompts = document.inputs().model().prompts;
  session.partial = !document.inputs().model().report.unfilled().empty();
  session.imagePath = document.inputs().imagePath();
  session.imageName = document.inputs().imageName();
  session.view = document.view().steady();
  return session;
}

Json viewToJson(const ViewOptions& view) {
  return {{"layer", view.layer},
          {"head", view.head},
          {"query", view.query},
          {"style", mapStyleName(view.style)},
          {"dim", view.dim},
          {"opacity", view.opacity},
          {"color_map", colorMapName(view.colorMap)},
          {"smooth", view.smooth},
          {"shared_range", view.sharedRange},
          {"step_scale", view.stepScale},
          {"overlay", view.showOverlay},
          {"mask_outline", view.maskOutline},
          {"object_boxes", view.objectBoxes},
          {"object_threshold", view.objectThreshold},
          {"true_boxes", view.trueBoxes},
          {"segment_opacity", view.segmentOpacity},
          {"decoder_layer", view.decoderLayer},
          {"paint_on_click", view.paintsOnClick},
          {"rollout_fusion", headFusionName(view.rollout.fusion)},
          {"rollout_discard", view.rollout.discardRatio},
          {"learned", view.learned},
          {"way", view.method.name},
          {"way_class", view.method.classIndex},
          {"way_layer", view.method.layer},
          {"way_foreground", view.method.foreground},
          {"way_objects", writeParameters(objectParameters(), &view.method.objects)}};
}

Result<ViewOptions> viewFromJson(const Json& json, const ViewOptions& view) {
  return guarded("view", [&] { return readView(json, view); });
}

QByteArray sessionToText(const Session& session) {
  Json json = {{"kind", kSessionKind}, {"schema", Session::kSchema}};
  json["experiment"] = experimentToJson(session.experiment);
  json["weights"] = session.weights.toStdString();
  if (!session.prompts.empty()) json["prompts"] = promptsToJson(session.prompts);
  if (session.partial) json["partial"] = true;
  json["image"] = {{"path", session.imagePath.toStdString()},
                   {"name", session.imageName.toStdString()}};
  json["view"] = viewToJson(session.view);
  if (!(session.comparison == Comparison())) json["compare"] = comparisonToJson(session.comparison);
  if (!session.gallery.isEmpty()) json["gallery"] = Json::array();
  for (const QString& entry : session.gallery)
    json["gallery"].push_back(entry.toStdString());
  Json window = Json::object();
  if (!session.theme.isEmpty()) window["theme"] = session.theme.toStdString();
  if (session.place) window["place"] = placeToJson(*session.place);
  if (!session.workspace.isEmpty()) window["workspace"] = session.workspace.toStdString();
  if (!session.run.isEmpty()) window["run"] = session.run.toStdString();
  if (!session.figures.isEmpty()) window["figures"] = session.figures.toStdString();
  if (!session.arrangements.isEmpty())
    window["workspaces"] = arrangementsToJson(session.arrangements);
  if (!window.empty()) json["window"] = window;
  return QByteArray::fromStdString(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<Session> sessionFromText(const QByteArray& text, const QString& name) {
  auto session = guarded(name.toStdString(), [&] { return readSession(text); });
  if (!session) return Error{session.error().code, session.error().text(), name.toStdString()};
  return session;
}

bool isSessionText(const QByteArray& text) {
  return isSessionText(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
}

}  // namespace headlight
