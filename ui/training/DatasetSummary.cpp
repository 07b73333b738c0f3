// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/DatasetSummary.h"

#include <QLocale>

#include "core/workbench/evaluation/DatasetContents.h"
#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

QString counted(std::int64_t count, const QString& one, const QString& many) {
  return QStringLiteral("%1 %2").arg(
      QLocale(QLocale::English).toString(static_cast<qlonglong>(count)), count == 1 ? one : many);
}

}  // namespace

std::string datasetKey(const Experiment& experiment) {
  Json json = writeParameters(dataParameters(), &experiment.data);
  json["image_size"] = experiment.model.imageSize;
  json["seed"] = experiment.seed;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

/// A set that cannot be counted says so when it is trained on.
void addContents(const Dataset& split, const QString& title, std::vector<std::string>& lines) {
  const auto contents = datasetContents(split);
  if (!contents || !*contents) return;
  for (const std::string& line : describeContents(**contents))
    lines.push_back(title.toStdString() + ": " + line);
}

}  // namespace

DatasetSummary summarizeDataset(const DatasetSpec& spec, const std::string& key) {
  DatasetSummary summary;
  summary.of = key;
  const auto done = guarded(spec.path.string(), [&] {
    const auto train = valueOrThrow(openDataset(spec, Split::Train));
    const auto validation = valueOrThrow(openDataset(spec, Split::Validation));
    summary.train = train->size();
    summary.validation = validation->size();
    summary.classNames = train->classNames();
    summary.notes = describeSplits(*train, *validation);
    addContents(*train, QObject::tr("Training"), summary.contents);
    addContents(*validation, QObject::tr("Validation"), summary.contents);
  });
  if (!done) summary.error = QString::fromStdString(done.error().text());
  return summary;
}

FoundData lookForData(const std::filesystem::path& path) {
  FoundData found;
  const auto looked = guarded(path.string(), [&] {
    found.kind = detectDatasetKind(path);
    if (!found.kind.empty()) return;
    if (const auto why = whyNoDataset(path, /*asked=*/true)) found.why = displayName(why->text());
  });
  if (!looked) found.why = displayName(looked.error().text());
  return found;
}

QString datasetSentence(const DatasetSummary& summary, const Experiment& experiment) {
  const auto batch = experiment.training.batchSize;
  const std::int64_t steps = batchesPerEpoch(summary.train, batch, kTrainingDropsLast);
  const auto classes = static_cast<std::int64_t>(summary.classNames.size());
  QString text = QObject::tr("%1, %2, %3 per epoch; %4 for validation; %5 in total.")
                     .arg(counted(summary.train, QObject::tr("image"), QObject::tr("images")),
                          counted(classes, QObject::tr("class"), QObject::tr("classes")),
                          counted(steps, QObject::tr("step"), QObject::tr("steps")),
                          counted(summary.validation, QObject::tr("image"), QObject::tr("images")),
                          counted(steps * experiment.training.epochs, QObject::tr("step"),
                                  QObject::tr("steps")));
  if (classes != experiment.model.classes)
    text += QObject::tr(" The model gets a new head: %1 → %2.")
                .arg(experiment.model.classes)
                .arg(counted(classes, QObject::tr("class"), QObject::tr("classes")));
  for (const std::string& line : summary.contents)
    text += QStringLiteral("\n") + displayName(line) + QStringLiteral(".");
  for (const std::string& note : summary.notes)
    text += QStringLiteral("\n") + displayName(note) + QStringLiteral(".");
  return text;
}

}  // namespace headlight
