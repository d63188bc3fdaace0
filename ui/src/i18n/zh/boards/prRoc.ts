import type { prRoc as English } from '../../en/boards/prRoc'

export const prRoc: typeof English = {
  chartPer: '每张图显示',
  perTag: '单个标签',
  perTagHint: '每个标签各用一张图',
  perGroup: '一组标签',
  perGroupHint: '前缀相同的标签（例如分类器的各个类别）画在同一张图里',
  timeShown: '时间显示',
  threshold: '阈值',
  precision: '精确率',
  recall: '召回率',
  falseRate: '假阳性率',
  trueRate: '真阳性率',
  falseRateShort: 'FPR',
  trueRateShort: 'TPR',
  averagePrecision: 'AP',
  area: 'AUC',
  averagePrecisionHint: 'AP：平均精确率，每个记录点的精确率按其新增的召回率加权',
  areaHint: 'AUC：经过所记录各点的曲线下面积',
  noCurves: '还没有 PR 或 ROC 曲线',
  noCurvesWhy: '一旦写入，曲线会自动出现在这里。记录方法：',
  noCurveSteps: '所选运行中没有曲线。',
  downloadPoints: 'CSV（所有步骤的全部数据点）',
  undoZoom: '重置缩放',
  chartLabel: (tag, count) =>
    `${tag} 的曲线，共 ${count} 条。左右方向键切换步骤，空格播放，上下方向键改变阈值，0 重置缩放。`,
}
