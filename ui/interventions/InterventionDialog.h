// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What causes the prediction of the open image: parts of the model are replaced and what changes is
// shown, part by part; which parts add to a logit by themselves; which heads read others; outlier
// tokens, and registers that take them. The images chosen above are those that means are taken
// over, and neurons found over.

#include <optional>

#include "core/workbench/interventions/HeadComposition.h"
#include "core/workbench/interventions/Interventions.h"
#include "core/workbench/interventions/LogitAttribution.h"
#include "core/workbench/interventions/OutlierTokens.h"
#include "core/workbench/interventions/Registers.h"
#include "ui/figures/AveragesDialog.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace headlight {

class ParameterForm;
class PartsView;
class PathRow;

class InterventionDialog : public AveragesDialog {
  Q_OBJECT
 public:
  enum class Shows {
    Interventions,
    Attribution,
    QueryPaths,
    KeyPaths,
    ValuePaths,
    Outliers,
    Sinks,
    ValueNorms,
    SinkValues,
    OutputRanks,
    RegisterNorms,  ///< images of test-time registers, before and after
    RegisterMaps
  };

  InterventionDialog(const AveragesParts& parts, QWidget* parent = nullptr);

  void choose(Shows shows);
  /// The image whose activations are put in place.
  void setOther(const QString& path);
  ParameterForm* form() const { return m_form; }
  PartsView* view() const { return m_view; }
  const std::optional<InterventionSweep>& sweep() const { return m_sweep; }
  const std::optional<InterventionEffect>& effect() const { return m_effect; }
  const std::optional<LogitAttribution>& attribution() const { return m_attribution; }
  const std::optional<HeadComposition>& composition() const { return m_composition; }
  const std::optional<OutlierReport>& outliers() const { return m_outliers; }
  /// How many test-time registers, and neurons whose activations move to them.
  ParameterForm* registerForm() const { return m_registerForm; }
  const std::optional<RegisterReport>& registers() const { return m_registers; }
  void saveAs(const QString& path);

 private:
  void measure() override;
  void save() override;
  bool hasResult() const override;
  void forget() override;

  void makeFields();
  void makeResults();
  Shows shows() const;
  bool showsTokens() const;
  bool showsRegisters() const;
  RegisterImageKind imageKind() const;
  CompositionInput input() const;
  QString cellName(int row, int column) const;
  InterventionOptions options() const;
  void measureSweep();
  void measureAttribution();
  void measureComposition();
  void measureOutliers();
  void measureRegisters();
  void replacePart(int row, int column);
  void browseOther();
  void onShows();
  void draw();
  void drawSweep();
  void drawAttribution();
  void drawComposition();
  void drawOutliers();
  QString outlierText() const;
  void drawRegisters();
  void describeCell();
  void showEffect(const Intervention& part);
  std::string csvText() const;
  Result<Image> image() const;

  QComboBox* m_shows;
  ParameterForm *m_form, *m_registerForm;
  PathRow* m_other;
  QLineEdit *m_class, *m_against;
  PartsView* m_view;
  QLabel* m_registerImage;  ///< in place of the view
  QLabel *m_caption, *m_cell, *m_effectText;
  /// Of the sweep that is shown: its parts are replaced in the same run.
  Image m_sweptImage;
  QString m_sweptOther;
  MaskScheme m_sweptMasks;
  std::optional<InterventionSweep> m_sweep;
  std::optional<InterventionEffect> m_effect;
  std::optional<LogitAttribution> m_attribution;
  std::optional<HeadComposition> m_composition;
  std::optional<OutlierReport> m_outliers;
  std::optional<RegisterReport> m_registers;
};

}  // namespace headlight
