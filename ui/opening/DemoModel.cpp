// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/DemoModel.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#ifndef HEADLIGHT_SOURCE_MODELS
#define HEADLIGHT_SOURCE_MODELS ""
#endif

namespace headlight {
namespace {

constexpr const char* kDemo = "demo/demo.safetensors";

}  // namespace

QString demoWeights() {
  const QString program = QCoreApplication::applicationDirPath();
  for (const QString& folder :
       {program + QStringLiteral("/models"), program + QStringLiteral("/../models"),
        program + QStringLiteral("/../share/headlight/models"),
        QStringLiteral(HEADLIGHT_SOURCE_MODELS)}) {
    if (folder.isEmpty()) continue;
    const QFileInfo file(QDir(folder).filePath(kDemo));
    if (file.isFile()) return file.canonicalFilePath();
  }
  return {};
}

QString weightsHere(const QString& path) {
  if (!path.endsWith(QLatin1String(kDemo)) || QFileInfo::exists(path)) return path;
  const QString demo = demoWeights();
  return demo.isEmpty() ? path : demo;
}

Experiment demoStandIn() {
  Experiment experiment;
  experiment.name = "small";
  experiment.model.name = "small-random";
  experiment.model.imageSize = 96;
  experiment.model.patchSize = 8;
  experiment.model.width = 96;
  experiment.model.depth = 6;
  experiment.model.heads = 3;
  experiment.model.classes = 9;
  return experiment;
}

}  // namespace headlight
