// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/SuggestedModels.h"

#include <QDir>
#include <QFileInfo>
#include <QObject>

#include <array>

#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxOfferBytes = 1 << 16;
constexpr std::array<const char*, 4> kAnswers{"none", "wanted", "declined", "done"};

/// With registers: without them, a few patches of the background draw most of the attention.
constexpr std::array<std::pair<const char*, const char*>, 3> kSuggested{{
    {"DINOv2-S", "vit_small_patch14_reg4_dinov2.lvd142m"},
    {"DeiT-S", "deit_small_patch16_224.fb_in1k"},
    {"ViT-Ti", "vit_tiny_patch16_224.augreg_in21k_ft_in1k"},
}};

std::vector<SuggestedModel> findSuggested() {
  std::vector<SuggestedModel> found;
  for (const auto& [title, name] : kSuggested)
    if (const auto weights = weightsNamed(name))
      found.push_back({QString::fromLatin1(title), *weights});
  return found;
}

OfferAnswer readAnswer(const QString& path) {
  const auto bytes = readFile(path.toStdString(), kMaxOfferBytes);
  if (!bytes) return OfferAnswer::None;
  const auto json = parseConfigJson(*bytes, path.toStdString());
  if (!json || !json->is_object() || !json->contains("answer")) return OfferAnswer::None;
  for (std::size_t i = 0; i < kAnswers.size(); ++i)
    if ((*json)["answer"] == kAnswers[i]) return static_cast<OfferAnswer>(i);
  return OfferAnswer::None;
}

}  // namespace

const std::vector<SuggestedModel>& suggestedModels() {
  static const std::vector<SuggestedModel> models = findSuggested();
  return models;
}

QString describeSuggestion(const SuggestedModel& model) {
  return QObject::tr("%1: %2 parameters, %3, %4, license %5")
      .arg(model.title, displayName(parametersText(model.weights)),
           displayName(sizeText(model.weights)), coreText(classesText(model.weights)),
           displayName(model.weights.license));
}

OfferRecord::OfferRecord(const QString& sessionPath) {
  if (sessionPath.isEmpty()) return;
  m_path = QFileInfo(sessionPath).dir().filePath(QStringLiteral("model-offer.json"));
  m_answer = readAnswer(m_path);
}

void OfferRecord::set(OfferAnswer answer) {
  if (m_answer == answer) return;
  m_answer = answer;
  const Json json{{"answer", kAnswers[static_cast<std::size_t>(answer)]}};
  m_writer.write(m_path.toStdString(), json.dump() + "\n");
}

}  // namespace headlight
