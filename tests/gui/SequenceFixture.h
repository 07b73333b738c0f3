// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tiny sequence models, and the window of sequence models by the names of its parts.

#include <QLabel>
#include <QPushButton>

#include "tests/gui/WindowFixture.h"
#include "ui/bridge/SequenceBridge.h"
#include "ui/forms/ParameterForm.h"
#include "ui/plots/BitsPlot.h"
#include "ui/sequences/SequenceWindow.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

inline constexpr int kLong = 30000;  ///< ms: a busy machine

/// 4 × 4 pixels, 48 bytes, one block of 8 features: milliseconds a step.
inline SequenceExperiment tinyImages() {
  SequenceExperiment experiment;
  experiment.name = "tiny";
  experiment.device = "cpu";
  experiment.threads = 1;
  experiment.data.imageSize = 4;
  experiment.data.trainSamples = 16;
  experiment.data.validationSamples = 8;
  experiment.model.width = 8;
  experiment.model.depth = 1;
  experiment.model.rank = 4;
  experiment.model.window = 8;
  experiment.training.steps = 20;
  experiment.training.batchSize = 4;
  experiment.training.learningRate = 0.01;
  experiment.training.warmupSteps = 2;
  experiment.training.evaluateSteps = 5;
  experiment.training.evaluateSamples = 4;
  return experiment;
}

inline SequenceExperiment endlessImages() {
  SequenceExperiment experiment = tinyImages();
  experiment.training.steps = 1000000;
  experiment.training.evaluateSteps = 1000000;
  return experiment;
}

inline SequenceExperiment tinyText(const QString& path) {
  SequenceExperiment experiment = tinyImages();
  experiment.data.kind = "text";
  experiment.data.path = path.toStdString();
  experiment.model.length = 16;
  return experiment;
}

struct SequenceFixture {
  Document document;
  SequenceWindow window{&document};
  ScopedDialogs dialogsAsBefore;

  SequenceFixture() {
    window.show();
    if (!QTest::qWaitForWindowExposed(&window)) qFatal("the window was not shown");
  }
  template <typename W>
  W* find(const char* name) const {
    W* found = window.findChild<W*>(QString::fromLatin1(name));
    if (!found) qFatal("there is no %s", name);
    return found;
  }
  QPushButton* button(const char* name) const { return find<QPushButton>(name); }
  void click(const char* name) const { QTest::mouseClick(button(name), Qt::LeftButton); }
  MessageLabel* message(const char* name) const { return find<MessageLabel>(name); }
  BitsPlot* plot() const { return find<BitsPlot>("bitsPlot"); }
  QString state() const { return find<QLabel>("sequenceState")->text(); }
  SequenceBridge* bridge() const { return window.bridge(); }
  void set(const char* form, const char* field, const Json& value) const {
    find<ParameterForm>(form)->setValue(QLatin1String(field), value);
    Q_EMIT find<ParameterForm>(form)->changed();
  }
};

}  // namespace headlight
