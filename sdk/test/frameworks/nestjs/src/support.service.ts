import { Injectable } from "@nestjs/common";
import { agent } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import OpenAI from "openai";

@Injectable()
export class SupportService {
  readonly #openai = wrapOpenAI(new OpenAI());

  @agent("support")
  async answer(question: string) {
    const { choices } = await this.#openai.chat.completions.create({
      model: "gpt-5-mini",
      messages: [{ role: "user", content: question }],
    });
    return choices[0]?.message.content ?? "";
  }
}
