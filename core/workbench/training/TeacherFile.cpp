// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/TeacherFile.h"

#include <ATen/ATen.h>

#include <unordered_map>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Fingerprint.h"
#include "core/training/run/ModelFile.h"
#include "core/training/step/EvaluationMode.h"
#include "core/workbench/classes/ClassMatch.h"

namespace headlight {
namespace {

constexpr const char* kTeacherFileOption = "data.teacher_logits";
constexpr const char* kTeacherFormat = "headlight teacher";

[[noreturn]] void refuseTeacherFile(ErrorCode code, const std::string& message) {
  throw Failure({code, message, kTeacherFileOption});
}

Checkpoint readTeacherFile(const std::string& path) {
  auto file = readSafetensors(path);
  if (!file) refuseTeacherFile(file.error().code, file.error().text());
  const auto format = file->metadata.find("format");
  if (format == file->metadata.end() || format->second != kTeacherFormat)
    refuseTeacherFile(ErrorCode::InvalidFile, path + tr(" is no file of a teacher; write one with "
                                                        "headlight_maps.save_teacher in Python"));
  return std::move(file).value();
}

at::Tensor tensorIn(const Checkpoint& file, const std::string& name) {
  for (const auto& item : file.tensors)
    if (item.first == name) return item.second;
  refuseTeacherFile(ErrorCode::InvalidFile,
                    tr("has no ") + name +
                        tr("; write them with headlight_maps.save_teacher, or change "
                           "training.distillation"));
}

void requireRows(const at::Tensor& rows, const at::Tensor& keys) {
  if (rows.dim() != 2 || keys.dim() != 1 || keys.scalar_type() != at::kLong ||
      rows.size(0) != keys.size(0) || !rows.is_floating_point())
    refuseTeacherFile(ErrorCode::InvalidFile,
                      tr("must have one row of numbers and one key for each image; write it "
                         "again"));
  const auto wrong = at::isfinite(rows).logical_not().sum().item<std::int64_t>();
  if (wrong > 0)
    refuseTeacherFile(ErrorCode::InvalidFile,
                      tr("has ") + std::to_string(wrong) +
                          tr(" numbers that are not finite (NaN or infinite); compute them again"));
}

using KeyPlaces = std::unordered_map<std::uint64_t, std::int64_t>;

KeyPlaces placesOfKeys(const at::Tensor& keys) {
  const at::Tensor list = keys.contiguous();
  const auto* values = list.data_ptr<std::int64_t>();
  KeyPlaces places;
  for (std::int64_t row = 0; row < list.numel(); ++row)
    if (!places.emplace(static_cast<std::uint64_t>(values[row]), row).second)
      refuseTeacherFile(ErrorCode::InvalidFile, tr("has two rows for one image (row ") +
                                                    std::to_string(row) +
                                                    tr("); each image needs one name of its own"));
  return places;
}

/// Of every sample.
std::vector<std::int64_t> placesOfSamples(const KeyPlaces& places, const Dataset& train,
                                          const std::string& folder) {
  std::vector<std::int64_t> result;
  std::int64_t missing = 0;
  std::string first;
  for (std::int64_t i = 0; i < train.size(); ++i) {
    const std::string name = teacherName(train, i, folder);
    const auto found = places.find(teacherKey(name));
    if (found == places.end() && missing++ == 0) first = name;
    result.push_back(found == places.end() ? -1 : found->second);
  }
  if (missing > 0)
    refuseTeacherFile(ErrorCode::InvalidFile,
                      tr("has ") + std::to_string(places.size()) + tr(" rows, but none for ") +
                          countText(missing, tr("training image"), tr("training images")) +
                          tr(", first \"") + first +
                          tr("\"; write a row for every image, under its path below the data's "
                             "folder"));
  return result;
}

/// [N, C] in the data's classes.
at::Tensor inClassesOf(const at::Tensor& logits, const Checkpoint& file, const Dataset& train,
                       std::vector<std::string>& notes) {
  ModelClasses classes;
  classes.count = static_cast<int>(logits.size(1));
  if (const auto names = file.metadata.find("class_names"); names != file.metadata.end()) {
    const Json list = metadataJson(names->second, "class_names", kTeacherFileOption);
    for (const Json& name : list)
      classes.names.push_back(name.is_string() ? name.get<std::string>() : name.dump());
    classes.from = ClassNamesFrom::Model;
  }
  const auto expected = static_cast<std::int64_t>(train.classNames().size());
  if (logits.size(1) != expected ||
      (!classes.names.empty() && classes.names.size() != train.classNames().size()))
    refuseTeacherFile(ErrorCode::InvalidFile,
                      tr("has logits of ") + std::to_string(logits.size(1)) +
                          tr(" classes, but the data has ") + std::to_string(expected) +
                          tr("; choose a teacher for the same classes"));
  const auto match =
      matchClasses(train.classNames(), classes, {}, tr("; choose a teacher for the same classes"));
  if (!match) refuseTeacherFile(ErrorCode::InvalidFile, match.error().message);
  if (!match->text.empty())
    notes.push_back(tr("the classes of the teacher's file are matched ") + match->text);
  if (match->order.empty()) return logits;
  return logits.index_select(1, at::tensor(at::ArrayRef<std::int64_t>(match->order), at::kLong));
}

}  // namespace

std::uint64_t teacherKey(std::string_view name) {
  std::uint64_t key = 0xcbf29ce484222325ULL;
  for (const char letter : name)
    key = (key ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return key;
}

std::string teacherName(const Dataset& dataset, std::int64_t sample, const std::string& folder) {
  std::string name = dataset.describe(sample);
  if (folder.empty()) return name;
  const std::string start = folder.ends_with('/') ? folder : folder + "/";
  return name.starts_with(start) ? name.substr(start.size()) : name;
}

bool usesTeacherFile(const Experiment& experiment) {
  const TrainingConfig& training = experiment.training;
  const bool given = !experiment.data.teacherLogits.empty();
  if (!given && training.distillation == "features")
    refuseTeacherFile(ErrorCode::InvalidConfig,
                      tr("is missing; give the file of the teacher's features"));
  if (given && training.distillation == "none")
    throw Failure({ErrorCode::InvalidConfig,
                   tr("is none, but data.teacher_logits is given; choose soft, hard or features"),
                   "training.distillation"});
  if (given && (!training.teacher.empty() || !training.teacherWeights.empty()))
    refuseTeacherFile(ErrorCode::InvalidConfig,
                      tr("takes the place of a teacher; leave training.teacher and "
                         "training.teacher_weights empty"));
  return given;
}

OpenedTeacherFile openTeacherFile(const Experiment& experiment, const Dataset& train) {
  const std::string& path = experiment.data.teacherLogits;
  const bool features = experiment.training.distillation == "features";
  const Checkpoint file = readTeacherFile(path);
  OpenedTeacherFile opened;
  at::Tensor rows = tensorIn(file, features ? "features" : "logits");
  const at::Tensor keys = tensorIn(file, "keys");
  requireRows(rows, keys);
  const KeyPlaces places = placesOfKeys(keys);
  auto samples = placesOfSamples(places, train, experiment.data.path);
  if (!features) rows = inClassesOf(rows, file, train, opened.notes);
  if (const auto unused = static_cast<std::int64_t>(places.size()) - train.size(); unused > 0)
    opened.notes.push_back(countText(unused, tr("row"), tr("rows")) +
                           tr(" of the teacher's file belong to no training image"));
  opened.rows = std::make_shared<TeacherRows>(std::move(rows), std::move(samples));
  opened.fingerprint = valueOrThrow(fileFingerprint(path));
  return opened;
}

void requireSameFeatures(Model& model, const TeacherRows& rows, const at::Device& device) {
  const at::NoGradGuard noGrad;
  const EvaluationMode mode(model);
  const ModelConfig& config = model.config();
  const at::Tensor images =
      at::zeros({1, 3, config.imageHeightPixels(), config.imageWidthPixels()}, device);
  const at::Tensor pooled = model.forwardWithFeatures(images).second;
  if (pooled.defined() && pooled.size(-1) == rows.width()) return;
  refuseTeacherFile(ErrorCode::InvalidConfig,
                    tr("has features of width ") + std::to_string(rows.width()) +
                        tr(", but the model ") +
                        (pooled.defined() ? tr("has ") + std::to_string(pooled.size(-1))
                                          : std::string(tr("gives no features"))) +
                        tr("; use logits (soft or hard), or a model of the same width"));
}

}  // namespace headlight
