// SPDX-License-Identifier: GPL-3.0-or-later

// The generic form: every section of an Experiment goes in and comes out unchanged, and what is
// wrong is said beside its field.

#include "ui/forms/ParameterForm.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "core/config/Experiment.h"
#include "core/workbench/pairs/QueryKeyOptions.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/NumberBox.h"

using namespace headlight;
using namespace headlight::synthetic;

class ParameterFormTest : public QObject {
  Q_OBJECT

  /// Types into an editor as a person does.
  static void type(QWidget* editor, const QString& text) {
    editor->setFocus();
    QTest::keySequence(editor, QKeySequence::SelectAll);
    QTest::keyClick(editor, Qt::Key_Backspace);
    QTest::keyClicks(editor, text);
  }

  static void show(QWidget& form) {
    form.resize(460, 520);
    form.show();
    form.activateWindow();  // no window manager does it under a bare X server
    if (!QTest::qWaitForWindowActive(&form)) qFatal("the form was not shown");
  }

  /// A value other than the default, within the range.
  static Json otherValue(const Parameter& parameter) {
    const auto inside = [&](double value) {
      return std::clamp(value, parameter.minimum, parameter.maximum);
    };
    switch (parameter.type) {
      case ParameterType::Bool:
        return !parameter.defaultValue.get<bool>();
      case ParameterType::Integer:
        return static_cast<std::int64_t>(inside(parameter.defaultValue.get<double>() + 1));
      case ParameterType::Number:
        return inside(parameter.defaultValue.get<double>() * 0.7 + 1e-7 / 3);
      case ParameterType::Text:
        if (parameter.name == "freeze") return "all but the head";
        if (parameter.name == "adapter_layers") return "mlp";
        return parameter.check ? "rand-m9" : "änders \"x\" / y";
      case ParameterType::Choice:
        return parameter.choices.back();
      case ParameterType::NumberList:
        return Json::array({0.1, 1.0 / 3.0, 2e-5 + 0.5});
      case ParameterType::IntegerList:
        return Json::array({2, 3});
    }
    return {};
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void theLeastNumberMayBeAWord() {
    ParameterForm form(queryKeyParameters(), {});
    form.setMinimumText("layer", "last");
    show(form);
    auto* layer = qobject_cast<NumberBox*>(form.editor("layer"));
    QVERIFY(layer);
    QCOMPARE(layer->text(), QString("last"));
    QVERIFY(form.values()["layer"] == Json(-1));
    QVERIFY2(layer->toolTip().contains("default last"), qPrintable(layer->toolTip()));
    layer->stepBy(1);
    QCOMPARE(layer->text(), QString("0"));
    layer->stepBy(-1);
    QCOMPARE(layer->text(), QString("last"));
    type(layer, "Last");
    QVERIFY(form.isValid());
    QVERIFY(form.values()["layer"] == Json(-1));
    type(layer, "-1");
    QTest::keyClick(layer, Qt::Key_Return);
    QCOMPARE(layer->text(), QString("last"));
    type(layer, "first");
    QVERIFY(!form.isValid());
    form.setValue("layer", 3);
    QCOMPARE(layer->text(), QString("3"));
    QVERIFY(form.values()["layer"] == Json(3));
  }

  void everySectionRoundTrips() {
    for (const Section& section : experimentSections()) {
      ParameterForm form(*section.table, QString::fromStdString(section.key));
      Json defaults = Json::object(), others = Json::object();
      for (const Parameter& parameter : *section.table) {
        defaults[parameter.name] = parameter.defaultValue;
        others[parameter.name] = otherValue(parameter);
      }
      QVERIFY2(form.values() == defaults, form.values().dump().c_str());
      QCOMPARE(form.changedFromDefault(), 0);
      form.setValues(others);
      QVERIFY2(form.values() == others, (form.values().dump() + "\n" + others.dump()).c_str());
      QVERIFY2(form.isValid(), qPrintable(form.firstError()));
      QVERIFY(form.changedFromDefault() > 0);
      form.setValues(Json::object());
      QVERIFY(form.values() == defaults);
    }
  }

  void anExperimentRoundTripsThroughItsForms() {
    Experiment experiment;
    experiment.name = "round trip";
    experiment.seed = 9007199254740991;
    experiment.training.learningRate = 0.1 + 0.2;  // 0.30000000000000004
    experiment.training.epsilon = 1e-16;
    experiment.data.maxSamples = 1000000000000;
    const Json json = experimentToJson(experiment);
    Json collected = json;
    for (const Section& section : experimentSections()) {
      if (section.key.empty()) continue;
      ParameterForm form(*section.table, QString::fromStdString(section.key));
      form.setValues(json[section.key]);
      collected[section.key] = form.values();
      // What JSON leaves out at its default, such as model.init.
      for (const Parameter& parameter : *section.table)
        if (!json[section.key].contains(parameter.name)) {
          QVERIFY(collected[section.key][parameter.name] == parameter.defaultValue);
          collected[section.key].erase(parameter.name);
        }
    }
    ParameterForm run(runParameters(), QString());
    run.setValues(writeParameters(runParameters(), &experiment));
    collected.update(run.values());
    QVERIFY(collected == json);
    const auto read = experimentFromJson(collected, {});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(experimentToText(*read), experimentToText(experiment));
  }

  void editorsFitTheTypes() {
    ParameterForm form(dataParameters(), QStringLiteral("data"));
    QVERIFY(qobject_cast<QComboBox*>(form.editor(QStringLiteral("dataset"))));
    QVERIFY(qobject_cast<QLineEdit*>(form.editor(QStringLiteral("path"))));
    QVERIFY(qobject_cast<NumberBox*>(form.editor(QStringLiteral("flip"))));
    QVERIFY(qobject_cast<QCheckBox*>(form.editor(QStringLiteral("augment"))));
    QVERIFY(!form.editor(QStringLiteral("nothing")));
    QCOMPARE(form.editor(QStringLiteral("flip"))->objectName(), QStringLiteral("field.flip"));
  }

  void theDeviceIsAChoiceThatCanBeTyped() {
    ParameterForm form(runParameters(), {});
    show(form);
    auto* box = qobject_cast<QComboBox*>(form.editor(QStringLiteral("device")));
    QVERIFY(box && box->isEditable());
    QCOMPARE(box->itemText(0), QStringLiteral("auto"));
    QCOMPARE(box->itemText(1), QStringLiteral("cpu"));
    QSignalSpy changed(&form, &ParameterForm::changed);
    QTest::keyClick(box, Qt::Key_Down);
    QCOMPARE(form.values()["device"].get<std::string>(), std::string("cpu"));
    QCOMPARE(changed.size(), 1);
    type(box, QStringLiteral("cuda:1"));
    QCOMPARE(form.values()["device"].get<std::string>(), std::string("cuda:1"));
    form.setValue(QStringLiteral("device"), "cpu");
    QCOMPARE(box->currentText(), QStringLiteral("cpu"));
    form.setValue(QStringLiteral("device"), "cuda:3");  // of another machine
    QCOMPARE(form.values()["device"].get<std::string>(), std::string("cuda:3"));
  }

  void typingChangesValuesAndTells() {
    ParameterForm form(trainingParameters(), QStringLiteral("training"));
    show(form);
    QSignalSpy changed(&form, &ParameterForm::changed);
    auto* epochs = form.editor(QStringLiteral("epochs"));
    type(epochs, QStringLiteral("35"));
    QCOMPARE(form.values()["epochs"].get<int>(), 35);
    QVERIFY(form.values()["epochs"].is_number_integer());
    QVERIFY(!changed.isEmpty());
    QTest::keyClick(epochs, Qt::Key_Up);
    QCOMPARE(form.values()["epochs"].get<int>(), 36);
    auto* rate = form.editor(QStringLiteral("learning_rate"));
    type(rate, QStringLiteral("2.5e-4"));
    QCOMPARE(form.values()["learning_rate"].get<double>(), 2.5e-4);
    QTest::keyClick(rate, Qt::Key_Up);  // by a tenth of its size
    QCOMPARE(form.values()["learning_rate"].get<double>(), 2.6e-4);
    type(rate, QStringLiteral("0.001"));
    QTest::keyClick(rate, Qt::Key_Down);
    QCOMPARE(form.values()["learning_rate"].get<double>(), 0.0009);
  }

  void errorsAreShownBesideTheField() {
    ParameterForm form(trainingParameters(), QStringLiteral("training"));
    show(form);
    auto* note = form.findChild<MessageLabel*>(QStringLiteral("error.epochs"));
    QVERIFY(!note->isVisible());
    const std::pair<const char*, const char*> wrong[]{
        {"0", "must be whole number, 1 to 1000000, not 0"},
        {"", "not \"\""},
        {"1.5", "not 1.5"},
        {"many", "not \"many\""},
        {"99999999999999999999", "must be whole number"}};
    for (const auto& [text, message] : wrong) {
      type(form.editor(QStringLiteral("epochs")), QString::fromLatin1(text));
      QVERIFY2(note->isVisible() && note->text().contains(QLatin1String(message)),
               qPrintable(note->text()));
      QVERIFY(!form.isValid());
      QVERIFY(form.firstError().startsWith(QStringLiteral("Epochs: must be")));
    }
    type(form.editor(QStringLiteral("epochs")), QStringLiteral("7"));
    QVERIFY(!note->isVisible());
    QVERIFY(form.isValid());
  }

  void listsAreChecked() {
    ParameterForm form(modelParameters(), QStringLiteral("model"));
    show(form);
    auto* mean = form.editor(QStringLiteral("mean"));
    type(mean, QStringLiteral("0.5, 0.5"));
    QVERIFY(form.errorOf(QStringLiteral("mean")).contains(QStringLiteral("3 numbers")));
    type(mean, QStringLiteral("0.5, 0.25,x"));
    QVERIFY(!form.isValid());
    type(mean, QStringLiteral(" .5,0.25 , 1"));
    QVERIFY(form.isValid());
    QVERIFY(form.values()["mean"] == Json::array({0.5, 0.25, 1.0}));
  }

  void changedFieldsAreMarkedAndCanGoBack() {
    ParameterForm form(trainingParameters(), QStringLiteral("training"));
    show(form);
    auto* reset = form.findChild<QToolButton*>(QStringLiteral("reset.epochs"));
    QVERIFY(!reset->isVisible());
    type(form.editor(QStringLiteral("epochs")), QStringLiteral("3"));
    QCOMPARE(form.changedFromDefault(), 1);
    QVERIFY(reset->isVisible());
    QSignalSpy changed(&form, &ParameterForm::changed);
    QTest::mouseClick(reset, Qt::LeftButton);
    QCOMPARE(form.values()["epochs"].get<int>(), 20);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(form.changedFromDefault(), 0);
    QVERIFY(!reset->isVisible());
    // Other defaults: a published model's.
    form.setDefaults({{"epochs", 3}});
    QCOMPARE(form.changedFromDefault(), 1);
  }

  void aMovedFieldStaysPartOfTheForm() {
    QWidget elsewhere;
    auto* grid = new QGridLayout(&elsewhere);
    ParameterForm form(trainingParameters(), QStringLiteral("training"));
    form.moveField(QStringLiteral("epochs"), grid, 0, QStringLiteral("How long?"));
    show(form);
    show(elsewhere);
    QWidget* epochs = form.editor(QStringLiteral("epochs"));
    QCOMPARE(epochs->parentWidget(), &elsewhere);
    QCOMPARE(epochs->accessibleName(), QStringLiteral("How long?"));
    type(epochs, QStringLiteral("0"));
    QVERIFY(!form.isValid() && !form.hasErrorHere());
    QVERIFY(elsewhere.findChild<MessageLabel*>(QStringLiteral("error.epochs"))->isVisible());
    type(epochs, QStringLiteral("3"));
    QCOMPARE(form.values()["epochs"].get<int>(), 3);
    QCOMPARE(form.changedFromDefault(), 0);  // it is shown elsewhere
    form.setFilter(QStringLiteral("warm"));
    QVERIFY(epochs->isVisible());
    form.hideFields({"epochs"});
    QVERIFY(!epochs->isVisible());
  }

  void theFilterFindsNamesAndHelp() {
    ParameterForm form(trainingParameters(), QStringLiteral("training"));
    show(form);
    type(form.findChild<QLineEdit*>(QStringLiteral("formFilter")), QStringLiteral("warm"));
    QVERIFY(form.editor(QStringLiteral("warmup_epochs"))->isVisible());
    QVERIFY(!form.editor(QStringLiteral("batch_size"))->isVisible());
    form.setFilter(QStringLiteral("images per step"));  // the help of batch_size
    QVERIFY(form.editor(QStringLiteral("batch_size"))->isVisible());
    form.setFilter(QStringLiteral("no such thing"));
    QVERIFY(!form.editor(QStringLiteral("batch_size"))->isVisible());
    form.focusField(QStringLiteral("keep_every"));  // clears the filter
    QVERIFY(form.editor(QStringLiteral("keep_every"))->isVisible());
    form.hideFields({"keep_every"});
    QVERIFY(!form.editor(QStringLiteral("keep_every"))->isVisible());
    QVERIFY(form.values().contains("keep_every"));
  }

  void helpFollowsTheFocus() {
    ParameterForm form(trainingParameters(), QStringLiteral("training"));
    show(form);
    auto* help = form.findChild<QLabel*>(QStringLiteral("formHelp"));
    form.editor(QStringLiteral("weight_decay"))->setFocus();
    QTRY_VERIFY(help->text().contains(QStringLiteral("Weight decay")));
    QVERIFY(help->text().contains(QStringLiteral("training.weight_decay")));
    QVERIFY(form.editor(QStringLiteral("epochs"))->toolTip().contains(QStringLiteral("Passes")));
  }

  void errorsFromOutsideStayUntilTheFieldIsEdited() {
    ParameterForm form(modelParameters(), QStringLiteral("model"));
    show(form);
    form.setError(QStringLiteral("heads"), QStringLiteral("5 heads do not divide the width"));
    QVERIFY(!form.isValid());
    QVERIFY(form.findChild<MessageLabel*>(QStringLiteral("error.heads"))->isVisible());
    type(form.editor(QStringLiteral("heads")), QStringLiteral("4"));
    QVERIFY(form.isValid());
  }

  void unknownKeysAndChoicesSurvive() {
    ParameterForm form(dataParameters(), QStringLiteral("data"));
    form.setValues({{"dataset", "from-the-future"}, {"unheard_of", 3}});
    QCOMPARE(form.values()["unheard_of"].get<int>(), 3);
    QCOMPARE(form.values()["dataset"].get<std::string>(), std::string("from-the-future"));
    QVERIFY(form.errorOf(QStringLiteral("dataset")).contains(QStringLiteral("one of")));
  }

  void theWheelOverAFieldScrollsTheForm() {
    ParameterForm form(trainingParameters(), QStringLiteral("training"));
    show(form);
    form.resize(420, 260);
    form.findChild<QLineEdit*>(QStringLiteral("formFilter"))->setFocus();
    auto* epochs = form.editor(QStringLiteral("epochs"));
    const QPointF at(5, 5);
    QWheelEvent wheel(at, epochs->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, {},
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(epochs, &wheel);
    QCOMPARE(form.values()["epochs"].get<int>(), 20);
  }

  void images() {
    ParameterForm form(trainingParameters(), QStringLiteral("training"));
    show(form);
    type(form.editor(QStringLiteral("epochs")), QStringLiteral("0"));
    type(form.editor(QStringLiteral("learning_rate")), QStringLiteral("0.0005"));
    saveGrabs(form, QStringLiteral("parameter-form"));
  }
};

QTEST_MAIN(ParameterFormTest)
#include "ParameterFormTest.moc"
